import { sql } from 'kysely';
import type { LocalizedText } from '../../http/language.ts';
import type { Database } from '../../platform/database/database.ts';
import { literals } from '../../platform/database/literals.ts';
import { dayOf } from '../../platform/time/date-time.ts';
import { type ApplicationRecord, assessReadiness, findApplications, livingStatuses, readinessFactsOf } from '../applications/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import { needsOf, type ProfileStep, type SteppedProfile } from '../profiles/index.ts';
import { readValidityOf, stateOn, type VerificationState } from '../verification/index.ts';

/** Items of each kind in one message; the rest is on the site. */
const shown = 10;

/** What an account must still provide, and how much exceeds the shown items. */
export interface Missing {
  profiles: { id: number; part: 'profile' | 'photo'; what: Exclude<ProfileStep, 'review'> }[];
  documents: { type: DocumentType }[];
  /** `rules`: codes of conditions; `top_up`: money for the payment is missing. */
  applications: { id: number; title: LocalizedText; rules: string[] }[];
  isMore: boolean;
}

/** Reads what an account must still provide for its profiles, documents and active applications, by the readiness rules (BOT-4). */
export async function readMissing(db: Database, userId: number, now: Date): Promise<Missing> {
  const profiles = await db
    .selectFrom('profiles')
    .where('ownerId', '=', userId)
    // Selects profiles that are incomplete; `missingOf` says what.
    .where((eb) =>
      eb.or([
        eb('status', 'in', ['draft', 'changes']),
        eb.and([
          eb('kind', '=', 'athlete'),
          eb.or([eb('photoId', 'is', null), eb('photoStatus', 'in', ['draft', 'changes', 'cancelled'])]),
        ]),
      ]),
    )
    .select(['id', 'kind', 'status', 'photoStatus', 'photoId', 'isCorrected', 'isPhotoCorrected'])
    .orderBy('id', 'desc')
    .limit(shown + 1)
    .execute();
  const documents = await listReturned(db, userId, now);
  const { incomplete: applications, isCut } = await readIncompleteApplications(db, userId, now);
  const missing = profiles.flatMap((profile) => missingOf(profile));
  return {
    profiles: missing.slice(0, shown),
    documents: documents.slice(0, shown),
    applications: applications.slice(0, shown),
    isMore: isCut || [missing, documents, applications].some(({ length }) => length > shown),
  };
}

/**
 * Lists the types of returned documents that were not replaced, newest first, one more than shown: no other document of the type is in
 * order or in review, and it is not one that active applications have given up.
 */
function listReturned(db: Database, userId: number, now: Date): Promise<{ type: DocumentType }[]> {
  return (
    db
      .selectFrom('documents as d')
      .innerJoin('profiles as p', 'p.id', 'd.profileId')
      .where('p.ownerId', '=', userId)
      .where('d.status', '=', 'changes')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('documents as other')
              .select('other.id')
              .whereRef('other.profileId', '=', 'd.profileId')
              .whereRef('other.type', '=', 'd.type')
              .where('other.status', 'in', ['pending', 'approved'])
              .where((eb) => eb.or([eb('other.expiresAt', 'is', null), eb('other.expiresAt', '>=', dayOf(now))])),
          ),
        ),
      )
      // Attached once, and by no active application any more.
      .where(({ or, not, exists, selectFrom }) =>
        or([
          exists(
            selectFrom('application_documents as ad')
              .innerJoin('applications as a', 'a.id', 'ad.applicationId')
              .select('a.id')
              .whereRef('ad.documentId', '=', 'd.id')
              .where('a.status', 'in', literals(livingStatuses)),
          ),
          not(
            exists(
              selectFrom('applications as a')
                .innerJoin('application_history as h', 'h.applicationId', 'a.id')
                .select('h.id')
                .whereRef('a.profileId', '=', 'd.profileId')
                .where(sql<boolean>`${sql.ref('d.id')} = any(${sql.ref('h.documentIds')})`),
            ),
          ),
        ]),
      )
      .select('d.type')
      .orderBy('d.id', 'desc')
      .limit(shown + 1)
      .execute()
  );
}

/**
 * Reads the newest active applications that are incomplete, one more than shown. Checks only the newest ones when there are very many.
 * @returns isCut: some were not checked
 */
async function readIncompleteApplications(
  db: Database,
  userId: number,
  now: Date,
): Promise<{ incomplete: Missing['applications']; isCut: boolean }> {
  const incomplete: Missing['applications'] = [];
  let before: number | null = null;
  for (let checked = 0; checked < mostChecked; checked += slice) {
    const records: ApplicationRecord[] = await readOfOwner(db, userId, { limit: slice, before });
    incomplete.push(...records.flatMap((record) => missingOfApplication(record, now)));
    before = records.at(-1)?.id ?? null;
    if (records.length < slice || incomplete.length > shown) return { incomplete, isCut: false };
  }
  return { incomplete, isCut: true };
}
const slice = 50;
const mostChecked = 200;

/** Lists the conditions that the owner can fulfil now. Leaves out profile and photo: they are listed once for all applications. */
function missingOfApplication(record: ApplicationRecord, now: Date): Missing['applications'] {
  const rules = assessReadiness(readinessFactsOf(record, now)).flatMap(({ ok, waiting_for: waitingFor, rule, fix }) => {
    if (ok || waitingFor !== 'owner' || fix === null || rule === 'profile' || rule === 'photo') return [];
    return [rule === 'payment' && fix.path.startsWith('/invoices') ? 'top_up' : rule];
  });
  return rules.length === 0 ? [] : [{ id: record.id, title: record.service.title, rules }];
}

/** Lists the steps that the owner can take now. */
function missingOf(profile: SteppedProfile & { id: number }): Missing['profiles'] {
  const { data, photo } = needsOf(profile);
  const submitted = data?.step === 'submit' || photo?.step === 'submit';
  const missing: Missing['profiles'] = [];
  if (data?.step === 'correct') missing.push({ id: profile.id, part: 'profile', what: 'correct' });
  if (photo?.step === 'add' || photo?.step === 'correct') missing.push({ id: profile.id, part: 'photo', what: photo.step });
  // Both parts are submitted together.
  if (submitted) missing.push({ id: profile.id, part: data?.step === 'submit' ? 'profile' : 'photo', what: 'submit' });
  return missing;
}

/** A certificate without its number and without the token of its page (BOT-4). */
interface ShownCertificate {
  title: LocalizedText;
  /** `YYYY-MM-DD` */
  validUntil: string;
  state: VerificationState;
}

/** The newest certificates of an account, and whether there are more. */
export interface ShownCertificates {
  certificates: ShownCertificate[];
  isMore: boolean;
}

/** Reads the newest certificates of the account's active applications, with the status that a verification shows today. */
export async function readCertificates(db: Database, userId: number, now: Date): Promise<ShownCertificates> {
  const records = await readOfOwner(db, userId, { limit: shown + 1, issued: true });
  const validity = await readValidityOf(
    db,
    records.map(({ id }) => id),
  );
  const certificates = records.flatMap(({ id, service }) => {
    const found = validity.get(id);
    if (found === undefined) return [];
    const { validity: facts } = found;
    return [{ title: service.title, validUntil: facts.validUntil, state: stateOn(facts, dayOf(now)) }];
  });
  return { certificates: certificates.slice(0, shown), isMore: certificates.length > shown };
}

/** Reads an account's active applications, the newest first, by applications_owner_index; optionally only those with a certificate. */
async function readOfOwner(
  db: Database,
  userId: number,
  { limit, before = null, issued = false }: { limit: number; before?: number | null; issued?: boolean },
): Promise<ApplicationRecord[]> {
  const rows = await db
    .selectFrom('applications as a')
    .where('a.ownerId', '=', userId)
    .where('a.status', 'in', literals(livingStatuses))
    .$if(before !== null, (own) => own.where('a.id', '<', before))
    .$if(issued, (own) =>
      own.where((eb) => eb.exists(eb.selectFrom('certificates as c').select('c.number').whereRef('c.applicationId', '=', 'a.id'))),
    )
    .select('a.id')
    .orderBy('a.id', 'desc')
    .limit(limit)
    .execute();
  const records = await findApplications(
    db,
    rows.map(({ id }) => id),
  );
  return records.toReversed();
}
