import { findApplications, livingStatuses } from '../applications/index.ts';
import type { ApplicationRecord } from '../applications/index.ts';
import { inList } from '../platform/database/database.ts';
import type { Database } from '../platform/database/database.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import { readValidityOf } from '../verification/index.ts';
import type { CertificateValidity } from '../verification/index.ts';
import { fittingKinds, foreignPapers } from './eligibility.ts';
import type { ForeignPaper } from './eligibility.ts';

/** An athlete of an account, with all that a registration of his might stand on. */
export interface Candidate {
  profile: { id: number; name: string; status: ReviewStatus };
  /** Living ones of a service and discipline that fit the event. */
  applications: ApplicationRecord[];
  /** Those of them that were issued. */
  licences: Readonly<CertificateValidity>[];
  /** Papers of another federation that are not refused. */
  papers: ForeignPaper[];
}

/** The athletes of an account with what stands behind each for an event of a discipline: five statements, however many there are. */
export async function findCandidates(db: Database, ownerId: number, disciplineId: number): Promise<Candidate[]> {
  const [profiles, papers, rows] = await Promise.all([
    db
      .selectFrom('profiles')
      .select(['id', 'name', 'status'])
      .where('ownerId', '=', ownerId)
      .where('kind', '=', 'athlete')
      .orderBy('id')
      .execute(),
    db
      .selectFrom('documents as d')
      .innerJoin('profiles as p', 'p.id', 'd.profileId')
      .where('p.ownerId', '=', ownerId)
      .where('d.type', '=', inList(foreignPapers))
      .where('d.status', '=', inList(['pending', 'approved', 'changes', 'expired'] as const))
      .select(['d.id', 'd.profileId', 'd.type', 'd.status', 'd.expiresAt'])
      .orderBy('d.id')
      .execute(),
    db
      .selectFrom('applications')
      .where('ownerId', '=', ownerId)
      .where('kind', '=', inList([...fittingKinds]))
      .where((eb) => eb.or([eb('disciplineId', 'is', null), eb('disciplineId', '=', disciplineId)]))
      .where('status', '=', inList(livingStatuses))
      .select('id')
      .execute(),
  ]);
  const ids = rows.map(({ id }) => id);
  const [applications, licences] = await Promise.all([findApplications(db, ids), readValidityOf(db, ids)]);
  return profiles.map((profile) => {
    const own = applications.filter(({ application }) => application.profileId === profile.id);
    return {
      profile,
      applications: own,
      licences: own.flatMap(({ id }) => licences.get(id) ?? []),
      papers: papers.filter(({ profileId }) => profileId === profile.id),
    };
  });
}
