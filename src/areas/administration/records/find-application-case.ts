import type { Database } from '../../../platform/database/database.ts';
import { type ApplicationRecord, findApplication } from '../../applications/index.ts';
import { type Document, findDocuments } from '../../documents/index.ts';
import { findProfile, type Profile } from '../../profiles/index.ts';
import { findOwner, type Owner } from './find-owner.ts';
import { listDecisions, type PastDecision } from './list-decisions.ts';

/** Records that an administrator reads to decide on an application. */
export interface ApplicationCase {
  record: ApplicationRecord;
  owner: Owner;
  profile: Readonly<Profile>;
  documents: readonly Readonly<Document>[];
  /** Oldest first. */
  history: PastDecision[];
}

/** Finds an application with its records and decisions; null when it does not exist. */
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
  // The application may be deleted between the queries, and then its profile too.
  return profile && { record, owner, profile, documents, history };
}
