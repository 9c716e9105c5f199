import type { Database } from '../../../platform/database/database.ts';
import { type ApplicationRecord, findApplication } from '../../applications/index.ts';
import { type Document, findDocuments } from '../../documents/index.ts';
import { findProfile, type Profile } from '../../profiles/index.ts';
import { findOwner, type Owner } from './find-owner.ts';
import { listDecisions, type PastDecision } from './list-decisions.ts';

/** What an administrator looks at to decide on an application. */
export interface ApplicationCase {
  record: ApplicationRecord;
  owner: Owner;
  profile: Readonly<Profile>;
  documents: readonly Readonly<Document>[];
  /** The oldest first. */
  history: PastDecision[];
}

/** An application, the records behind it and the decisions on it; null when there is no such application. */
export async function findApplicationCase(db: Database, id: number): Promise<ApplicationCase | null> {
  const record = await findApplication(db, id);
  if (!record) return null;
  const { ownerId, profileId } = record.application;
  const [owner, profile, documents, history] = await Promise.all([
    findOwner(db, ownerId),
    findProfile(db, profileId),
    findDocuments(
      db,
      record.documents.map((document) => document.id),
    ),
    listDecisions(db, ['application'], id),
  ]);
  // A profile that stands in an application cannot be deleted, but the application may have been in between.
  return profile && { record, owner, profile, documents, history };
}
