import { type Database, inList } from '../../../platform/database/database.ts';
import type { User } from '../../accounts/index.ts';
import { type ApplicationRecord, findApplication } from '../../applications/index.ts';
import { type Document, findDocument, findDocuments, listDocumentsOfProfile } from '../../documents/index.ts';
import { findProfile, type Profile } from '../../profiles/index.ts';
import type { ReviewDecision } from '../../reviews/index.ts';

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

interface LinkedApplication {
  id: number;
  serviceId: number;
  status: string;
}

interface LinkedRegistration {
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

/** Records that an administrator reads to correct a profile. */
export interface ProfileCase {
  profile: Readonly<Profile>;
  owner: Owner;
  documents: readonly Readonly<Document>[];
  /** The newest, at most `mostApplications`. */
  applications: (LinkedApplication & { year: number; number: string | null })[];
  /** Decisions on the data and on the photo, oldest first. */
  history: PastDecision[];
}

/** As many as the owner's portfolio shows. */
const mostApplications = 100;

/** Finds a profile with its documents, applications and decisions; null when it does not exist. */
export async function findProfileCase(db: Database, id: number): Promise<ProfileCase | null> {
  const profile = await findProfile(db, id);
  if (!profile) return null;
  const [owner, documents, applications, history] = await Promise.all([
    findOwner(db, profile.ownerId),
    listDocumentsOfProfile(db, id),
    listApplicationsOfProfile(db, id),
    listDecisions(db, ['profile', 'photo'], id),
  ]);
  return { profile, owner, documents, applications, history };
}

/** Reads `applications_profile_index`. */
function listApplicationsOfProfile(db: Database, profileId: number): Promise<ProfileCase['applications']> {
  return db
    .selectFrom('applications as a')
    .leftJoin('certificates as c', 'c.applicationId', 'a.id')
    .select(['a.id', 'a.serviceId', 'a.year', 'a.status', 'c.number'])
    .where('a.profileId', '=', profileId)
    .orderBy('a.id', 'desc')
    .limit(mostApplications)
    .execute();
}

/** The account that owns a record, for administrators. */
export type Owner = Pick<User, 'id' | 'name' | 'email'>;

/** @throws when the account does not exist: accounts are never deleted */
function findOwner(db: Database, userId: number): Promise<Owner> {
  return db.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', userId).executeTakeFirstOrThrow();
}

/** A decision on a record, for administrators. */
export type PastDecision = Pick<ReviewDecision, 'subjectKind' | 'decision' | 'note' | 'fromStatus' | 'toStatus' | 'actorId' | 'at'>;

/**
 * Lists the decisions on a record, oldest first (REV-2). Reads `review_decisions_subject_index`.
 * @param kinds the parts with their own decisions, such as the data and the photo of a profile
 */
function listDecisions(db: Database, kinds: readonly string[], id: number): Promise<PastDecision[]> {
  return db
    .selectFrom('review_decisions')
    .select(['subjectKind', 'decision', 'note', 'fromStatus', 'toStatus', 'actorId', 'at'])
    .where('subjectKind', '=', inList(kinds))
    .where('subjectId', '=', id)
    .orderBy('id')
    .execute();
}
