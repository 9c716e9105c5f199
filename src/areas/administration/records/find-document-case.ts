import type { Database } from '../../../platform/database/database.ts';
import { type Document, findDocument } from '../../documents/index.ts';
import { findProfile, type Profile } from '../../profiles/index.ts';
import { findOwner, type Owner } from './find-owner.ts';
import { listDecisions, type PastDecision } from './list-decisions.ts';

/** Records that an administrator reads to correct a document. */
export interface DocumentCase {
  document: Readonly<Document>;
  profile: Readonly<Profile>;
  owner: Owner;
  /** Applications with this document in any status, oldest first. */
  applications: LinkedApplication[];
  /** Registrations with this document in their snapshot, oldest first. */
  registrations: LinkedRegistration[];
  /** Oldest first. */
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

/** Finds a document with the records that use it and its decisions; null when it does not exist. */
export async function findDocumentCase(db: Database, id: number): Promise<DocumentCase | null> {
  const document = await findDocument(db, id);
  const profile = document && (await findProfile(db, document.profileId));
  // The profile may be deleted between the queries, and its documents with it.
  if (!document || !profile) return null;
  const [owner, applications, registrations, history] = await Promise.all([
    findOwner(db, profile.ownerId),
    listApplications(db, id),
    listRegistrations(db, id),
    listDecisions(db, ['document'], id),
  ]);
  return { document, profile, owner, applications, registrations, history };
}

/** Reads `application_documents_document_index`. */
function listApplications(db: Database, documentId: number): Promise<LinkedApplication[]> {
  return db
    .selectFrom('application_documents as ad')
    .innerJoin('applications as a', 'a.id', 'ad.applicationId')
    .select(['a.id', 'a.serviceId', 'a.status'])
    .where('ad.documentId', '=', documentId)
    .orderBy('a.id')
    .execute();
}

/** Reads `registration_documents_document_index`. */
function listRegistrations(db: Database, documentId: number): Promise<LinkedRegistration[]> {
  return db
    .selectFrom('registration_documents as rd')
    .innerJoin('registrations as r', 'r.id', 'rd.registrationId')
    .select(['r.id', 'r.eventId', 'r.status'])
    .where('rd.documentId', '=', documentId)
    .orderBy('r.id')
    .execute();
}
