import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Document } from '../../../src/areas/documents/entities.ts';
import { reminderAfter } from '../../../src/areas/documents/expiry-reminders.ts';
import type { Profile } from '../../../src/areas/profiles/entities.ts';
import { iinOf, nameOf } from '../../../src/areas/profiles/identity.ts';
import { type Database, json } from '../../../src/platform/database/database.ts';
import type { Storage } from '../../../src/platform/storage/storage.ts';
import { athleteData } from '../factories.ts';

/** Rows as they would stand, one statement for a batch; `at` is the instant they were made. Ids come back in the order given. */

/** PostgreSQL takes 65,535 parameters. */
const batch = 1000;

export async function insertUsers(db: Database, count: number, at: Date, role: 'user' | 'administrator' = 'user'): Promise<number[]> {
  const mark = randomBytes(4).toString('hex');
  const users = Array.from({ length: count }, (_, index) => ({
    email: `fixture-${mark}-${index + 1}@example.kz`,
    passwordHash: 'not a password hash',
    name: `Person ${index + 1}`,
    role,
    createdAt: at,
    updatedAt: at,
  }));
  return inBatches(users, (some) => db.insertInto('users').values(some).returning('id').execute());
}

/** What is in the files: bytes that are kept in `storage`, where they are to be opened; null where only their rows count. */
export interface FileContent {
  kind: 'photo' | 'scan';
  bytes: Buffer;
  storage: Storage | null;
}

export async function insertFiles(
  db: Database,
  ownerIds: readonly number[],
  { kind, bytes, storage }: FileContent,
  at: Date,
): Promise<string[]> {
  const isPhoto = kind === 'photo';
  const mime = isPhoto ? ('image/jpeg' as const) : ('application/pdf' as const);
  const files = ownerIds.map((ownerId) => {
    const id = randomUUID();
    return {
      id,
      ownerId,
      purpose: isPhoto ? 'photo' : 'identity',
      name: isPhoto ? 'photo.jpg' : 'scan.pdf',
      mime,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      width: isPhoto ? 450 : null,
      height: isPhoto ? 600 : null,
      pages: isPhoto ? null : 1,
      storageKey: `fixtures/${id}`,
      createdAt: at,
    };
  });
  for (const { storageKey } of storage ? files : []) await storage?.put(storageKey, bytes, { contentType: mime, size: bytes.length });
  return inBatches(files, (some) => db.insertInto('files').values(some).returning('id').execute());
}

export interface ProfileRow {
  ownerId: number;
  photoId: string;
  status: 'draft' | 'pending' | 'approved';
  data?: Record<string, unknown> | undefined;
  columns?: Partial<Profile> | undefined;
}

export async function insertProfiles(db: Database, profiles: readonly ProfileRow[], at: Date): Promise<number[]> {
  const rows = profiles.map(({ ownerId, photoId, status, data: given, columns: { data: _data, ...columns } = {} }) => {
    const data = { ...athleteData, ...given };
    return {
      ownerId,
      kind: 'athlete' as const,
      name: nameOf('athlete', data as Profile['data']),
      iin: iinOf('athlete', data as Profile['data']),
      // Profiles of other kinds and odd data are written here too.
      data: json(data as Profile['data']),
      photoId,
      status,
      photoStatus: status,
      everApproved: status === 'approved',
      submittedAt: status === 'draft' ? null : at,
      statusSince: at,
      photoStatusSince: at,
      createdAt: at,
      updatedAt: at,
      ...columns,
    };
  });
  return inBatches(rows, (some) => db.insertInto('profiles').values(some).returning('id').execute());
}

export interface DocumentRow {
  profileId: number;
  fileId: string;
  type: Document['type'];
  status: Document['status'];
  expiresAt: string | null;
  columns?: Partial<Document> | undefined;
}

export async function insertDocuments(db: Database, documents: readonly DocumentRow[], at: Date): Promise<number[]> {
  const rows = documents.map(({ columns, ...document }) => ({
    number: 'N12345678',
    country: 'KZ',
    issuedAt: '2024-01-10',
    decidedAt: document.status === 'pending' ? null : at,
    reviewNote: document.status === 'changes' || document.status === 'cancelled' ? decisionNote : null,
    statusSince: at,
    remindAt: document.status === 'approved' && document.expiresAt !== null ? reminderAfter(document.expiresAt, at) : null,
    createdAt: at,
    updatedAt: at,
    ...document,
    ...columns,
  }));
  return inBatches(rows, (some) => db.insertInto('documents').values(some).returning('id').execute());
}

/** Inserts an invoice that was paid late. @returns the incident's id */
export async function insertIncident(db: Database, invoiceId: number, at: Date): Promise<number> {
  const details = json({ number: '7', amount_minor: 865_000 });
  const incident = { kind: 'late_payment' as const, subjectKind: 'invoice', subjectId: String(invoiceId), details, at };
  return (await db.insertInto('incidents').values(incident).returning('id').executeTakeFirstOrThrow()).id;
}

/** Statuses that a decision leads to. */
export type Decided = keyof typeof decisions;
const decisions = { approved: 'approve', changes: 'changes', cancelled: 'cancel' } as const;
/** The note of each decision that needs one. */
export const decisionNote = 'A note of the fixtures';

/** Inserts decisions on records that waited for one. @param decided with the administrator who made them */
export async function insertDecisions(
  db: Database,
  { kind, ids, toStatus, actorId }: { kind: string; ids: readonly number[]; toStatus: Decided; actorId: number },
  at: Date,
): Promise<void> {
  const decision = decisions[toStatus];
  const note = decision === 'approve' ? null : decisionNote;
  const decided = { subjectKind: kind, decision, note, fromStatus: 'pending', toStatus, requestId: 'fixtures', actorId, at };
  const rows = ids.map((subjectId) => ({ subjectId, ...decided }));
  await inBatches(rows, (some) => db.insertInto('review_decisions').values(some).returning('id').execute());
}

async function inBatches<Row, Id>(rows: readonly Row[], insert: (some: Row[]) => Promise<{ id: Id }[]>): Promise<Id[]> {
  const ids: Id[] = [];
  for (let start = 0; start < rows.length; start += batch)
    ids.push(...(await insert(rows.slice(start, start + batch))).map(({ id }) => id));
  return ids;
}
