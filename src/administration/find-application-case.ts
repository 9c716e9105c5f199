import { findApplication } from '../applications/index.ts';
import type { ApplicationRecord } from '../applications/index.ts';
import { findDocuments } from '../documents/index.ts';
import type { Document } from '../documents/index.ts';
import type { Database } from '../platform/database/database.ts';
import { findProfile } from '../profiles/index.ts';
import type { Profile } from '../profiles/index.ts';
import type { ReviewDecision } from '../reviews/index.ts';

/** One decision on an application. */
export type ApplicationDecision = Pick<ReviewDecision, 'decision' | 'note' | 'fromStatus' | 'toStatus' | 'actorId' | 'at'>;

/** What an administrator looks at to decide on an application. */
export interface ApplicationCase {
  record: ApplicationRecord;
  owner: { id: number; name: string; email: string };
  profile: Readonly<Profile>;
  documents: readonly Readonly<Document>[];
  /** The oldest first. */
  history: ApplicationDecision[];
}

/** An application, the records behind it and the decisions on it; null when there is no such application. */
export async function findApplicationCase(db: Database, id: number): Promise<ApplicationCase | null> {
  const record = await findApplication(db, id);
  if (!record) return null;
  const { ownerId, profileId } = record.application;
  const [owner, profile, documents, history] = await Promise.all([
    db.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', ownerId).executeTakeFirstOrThrow(),
    findProfile(db, profileId),
    findDocuments(
      db,
      record.documents.map((document) => document.id),
    ),
    listDecisions(db, id),
  ]);
  // A profile that stands in an application cannot be deleted, but the application may have been in between.
  return profile && { record, owner, profile, documents, history };
}

/** Read by `review_decisions_subject_index`. */
function listDecisions(db: Database, applicationId: number): Promise<ApplicationDecision[]> {
  return db
    .selectFrom('review_decisions')
    .select(['decision', 'note', 'fromStatus', 'toStatus', 'actorId', 'at'])
    .where('subjectKind', '=', 'application')
    .where('subjectId', '=', applicationId)
    .orderBy('id')
    .execute();
}
