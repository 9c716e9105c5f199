import type { Database } from '../../../platform/database/database.ts';
import { type Document, listDocumentsOfProfile } from '../../documents/index.ts';
import { findProfile, type Profile } from '../../profiles/index.ts';
import { findOwner, type Owner } from './find-owner.ts';
import { listDecisions, type PastDecision } from './list-decisions.ts';

/** Records that an administrator reads to correct a profile. */
export interface ProfileCase {
  profile: Readonly<Profile>;
  owner: Owner;
  documents: readonly Readonly<Document>[];
  /** Decisions on the data and on the photo, oldest first. */
  history: PastDecision[];
}

/** Finds a profile with its documents and decisions; null when it does not exist. */
export async function findProfileCase(db: Database, id: number): Promise<ProfileCase | null> {
  const profile = await findProfile(db, id);
  if (!profile) return null;
  const [owner, documents, history] = await Promise.all([
    findOwner(db, profile.ownerId),
    listDocumentsOfProfile(db, id),
    listDecisions(db, ['profile', 'photo'], id),
  ]);
  return { profile, owner, documents, history };
}
