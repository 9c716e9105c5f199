import { assessReadiness, findApplications, livingStatuses, readinessFactsOf } from '../applications/index.ts';
import type { ApplicationRecord } from '../applications/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import type { LocalizedText } from '../http/language.ts';
import { dayOf } from '../platform/date-time.ts';
import type { Database } from '../platform/database/database.ts';
import { literals } from '../platform/database/literals.ts';
import { readValidityOf, stateOn } from '../verification/index.ts';
import type { VerificationState } from '../verification/index.ts';

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
  const applications = (await readOfOwner(db, userId)).flatMap((record) => {
    // Of its profile and its photo is told above, once for all applications that stand on them.
    const rules = assessReadiness(readinessFactsOf(record, now))
      .filter(({ ok, waiting_for: waitingFor, rule }) => !ok && waitingFor === 'owner' && rule !== 'profile' && rule !== 'photo')
      .map(({ rule }) => rule);
    return rules.length === 0 ? [] : [{ id: record.id, title: record.service.title, rules }];
  });
  const owed = profiles.flatMap((profile) => owedOf(profile));
  return {
    profiles: owed.slice(0, shown),
    documents: documents.slice(0, shown),
    applications: applications.slice(0, shown),
    isMore: [owed, documents, applications].some(({ length }) => length > shown),
  };
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

/** The newest certificates of the account's living applications, each as a verification would find it today. */
export async function readCertificates(db: Database, userId: number, now: Date): Promise<ShownCertificate[]> {
  const records = await readOfOwner(db, userId, { issued: true });
  const validity = await readValidityOf(
    db,
    records.map(({ id }) => id),
  );
  return records.toReversed().flatMap(({ id, service }) => {
    const found = validity.get(id);
    if (found === undefined) return [];
    const { validity: facts } = found;
    return [{ title: service.title, validUntil: facts.validUntil, state: stateOn(facts, dayOf(now)) }];
  });
}

/** The newest living applications of an account, by applications_owner_index; those with a certificate alone where it is asked for. */
async function readOfOwner(db: Database, userId: number, { issued = false } = {}): Promise<ApplicationRecord[]> {
  const own = db
    .selectFrom('applications as a')
    .where('a.ownerId', '=', userId)
    .where('a.status', 'in', literals(livingStatuses))
    .select('a.id')
    .orderBy('a.id', 'desc')
    .limit(issued ? shown : shown + 1);
  const rows = await (
    issued
      ? own.where((eb) => eb.exists(eb.selectFrom('certificates as c').select('c.number').whereRef('c.applicationId', '=', 'a.id')))
      : own
  ).execute();
  return findApplications(
    db,
    rows.map(({ id }) => id),
  );
}
