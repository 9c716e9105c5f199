import type { LocalizedText } from '../../http/language.ts';
import type { Database } from '../../platform/database/database.ts';
import { literals } from '../../platform/database/literals.ts';
import { dayOf } from '../../platform/date-time.ts';
import { type ApplicationRecord, assessReadiness, findApplications, livingStatuses, readinessFactsOf } from '../applications/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import { readValidityOf, stateOn, type VerificationState } from '../verification/index.ts';

/** What one message tells of each kind; the rest is on the site. */
const shown = 10;

/** What waits for the holder of an account, and how much of it there is beyond what is shown. */
export interface Missing {
  profiles: { id: number; part: 'profile' | 'photo'; what: 'submit' | 'correct' | 'add' }[];
  documents: { type: DocumentType }[];
  applications: { id: number; title: LocalizedText; rules: string[] }[];
  isMore: boolean;
}

/** What an account owes to its profiles, its documents and its living applications, by the rules that its readiness follows. */
export async function readMissing(db: Database, userId: number, now: Date): Promise<Missing> {
  const profiles = await db
    .selectFrom('profiles')
    .where('ownerId', '=', userId)
    // Each of them owes something: `owedOf` says what.
    .where((eb) =>
      eb.or([
        eb('status', 'in', ['draft', 'changes']),
        eb.and([
          eb('kind', '=', 'athlete'),
          eb.or([eb('photoId', 'is', null), eb('photoStatus', 'in', ['draft', 'changes', 'cancelled'])]),
        ]),
      ]),
    )
    .select(['id', 'kind', 'status', 'photoStatus', 'photoId'])
    .orderBy('id', 'desc')
    .limit(shown + 1)
    .execute();
  const documents = await db
    .selectFrom('documents as d')
    .innerJoin('profiles as p', 'p.id', 'd.profileId')
    .where('p.ownerId', '=', userId)
    .where('d.status', '=', 'changes')
    .select('d.type')
    .orderBy('d.id', 'desc')
    .limit(shown + 1)
    .execute();
  const { owing: applications, isCut } = await readOwingApplications(db, userId, now);
  const owed = profiles.flatMap((profile) => owedOf(profile));
  return {
    profiles: owed.slice(0, shown),
    documents: documents.slice(0, shown),
    applications: applications.slice(0, shown),
    isMore: isCut || [owed, documents, applications].some(({ length }) => length > shown),
  };
}

/**
 * The newest living applications that owe something, one more than is shown; of accounts that have very many, the newest of those are looked at.
 * @returns isCut: there are some that were not looked at
 */
async function readOwingApplications(db: Database, userId: number, now: Date): Promise<{ owing: Missing['applications']; isCut: boolean }> {
  const owing: Missing['applications'] = [];
  let before: number | null = null;
  for (let looked = 0; looked < mostLookedAt; looked += slice) {
    const records: ApplicationRecord[] = await readOfOwner(db, userId, { limit: slice, before });
    owing.push(...records.flatMap((record) => owedOfApplication(record, now)));
    before = records.at(-1)?.id ?? null;
    if (records.length < slice || owing.length > shown) return { owing, isCut: false };
  }
  return { owing, isCut: true };
}
const slice = 50;
const mostLookedAt = 200;

/** Of its profile and its photo is told once, for all applications that stand on them. */
function owedOfApplication(record: ApplicationRecord, now: Date): Missing['applications'] {
  const rules = assessReadiness(readinessFactsOf(record, now))
    .filter(({ ok, waiting_for: waitingFor, rule }) => !ok && waitingFor === 'owner' && rule !== 'profile' && rule !== 'photo')
    .map(({ rule }) => rule);
  return rules.length === 0 ? [] : [{ id: record.id, title: record.service.title, rules }];
}

interface ProfileRow {
  id: number;
  kind: string;
  status: string;
  photoStatus: string;
  photoId: string | null;
}

function owedOf({ id, kind, status, photoStatus, photoId }: ProfileRow): Missing['profiles'] {
  const owed: Missing['profiles'] = [];
  if (status === 'draft') owed.push({ id, part: 'profile', what: 'submit' });
  if (status === 'changes') owed.push({ id, part: 'profile', what: 'correct' });
  if (kind !== 'athlete') return owed;
  if (photoId === null) owed.push({ id, part: 'photo', what: 'add' });
  else if (photoStatus === 'changes' || photoStatus === 'cancelled') owed.push({ id, part: 'photo', what: 'correct' });
  else if (photoStatus === 'draft' && status !== 'draft') owed.push({ id, part: 'photo', what: 'submit' });
  return owed;
}

/** A certificate of an account, without its number and without what opens its page. */
export interface ShownCertificate {
  title: LocalizedText;
  /** `YYYY-MM-DD` */
  validUntil: string;
  state: VerificationState;
}

/** The newest certificates of an account, and whether there are more than are shown. */
export interface ShownCertificates {
  certificates: ShownCertificate[];
  isMore: boolean;
}

/** The newest certificates of the account's living applications, each as a verification would find it today. */
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

/** Living applications of an account, the newest first, by applications_owner_index; those with a certificate alone where it is asked for. */
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
