import type { Database } from '../../../platform/database/database.ts';
import { type Document, listDocumentsOfProfile } from '../../documents/index.ts';
import { findProfile, type Profile } from '../../profiles/index.ts';
import { findOwner, type Owner } from './find-owner.ts';
import { listDecisions, type PastDecision } from './list-decisions.ts';

/** What an administrator looks at to correct a profile. */
export interface ProfileCase {
  profile: Readonly<Profile>;
  owner: Owner;
  documents: readonly Readonly<Document>[];
  /** On the data and on the photo, the oldest first. */
  history: PastDecision[];
}

/** A profile, its documents and the decisions on it; null when there is no such profile. */
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
