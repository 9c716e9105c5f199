import type { Database } from '../../../platform/database/database.ts';
import { type Document, findDocument } from '../../documents/index.ts';
import { findProfile, type Profile } from '../../profiles/index.ts';
import { findOwner, type Owner } from './find-owner.ts';
import { listDecisions, type PastDecision } from './list-decisions.ts';

/** What an administrator looks at to correct a document. */
export interface DocumentCase {
  document: Readonly<Document>;
  profile: Readonly<Profile>;
  owner: Owner;
  /** Those it is attached to, whatever became of them, the oldest first. */
  applications: LinkedApplication[];
  /** Those whose snapshot holds it, the oldest first. */
  registrations: LinkedRegistration[];
  /** The oldest first. */
  history: PastDecision[];
}

export interface LinkedApplication {
  id: number;
  serviceId: number;
  status: string;
}

export interface LinkedRegistration {
  id: number;
  eventId: number;
  status: string;
}

/** A document, what stands on it and the decisions on it; null when there is no such document. */
export async function findDocumentCase(db: Database, id: number): Promise<DocumentCase | null> {
  const document = await findDocument(db, id);
  const profile = document && (await findProfile(db, document.profileId));
  // A profile that is deleted takes its documents along, and may have been so in between.
  if (!document || !profile) return null;
  const [owner, applications, registrations, history] = await Promise.all([
    findOwner(db, profile.ownerId),
    listApplications(db, id),
    listRegistrations(db, id),
    listDecisions(db, ['document'], id),
  ]);
  return { document, profile, owner, applications, registrations, history };
}

/** By application_documents_document_index. */
function listApplications(db: Database, documentId: number): Promise<LinkedApplication[]> {
  return db
    .selectFrom('application_documents as ad')
    .innerJoin('applications as a', 'a.id', 'ad.applicationId')
    .select(['a.id', 'a.serviceId', 'a.status'])
    .where('ad.documentId', '=', documentId)
    .orderBy('a.id')
    .execute();
}

/** By registration_documents_document_index. */
function listRegistrations(db: Database, documentId: number): Promise<LinkedRegistration[]> {
  return db
    .selectFrom('registration_documents as rd')
    .innerJoin('registrations as r', 'r.id', 'rd.registrationId')
    .select(['r.id', 'r.eventId', 'r.status'])
    .where('rd.documentId', '=', documentId)
    .orderBy('r.id')
    .execute();
}
