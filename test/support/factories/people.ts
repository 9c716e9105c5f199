import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Scope } from '../../../src/http/access/scopes.ts';
import type { Database, Tables } from '../../../src/platform/database/database.ts';
import { createDiskStorage } from '../../../src/platform/storage/disk-storage.ts';
import { makePhoto, makeScan } from '../papers/scans.ts';
import { insertDecisions, insertDocuments, insertFiles, insertProfiles, insertUsers } from './rows.ts';

/** A grown-up athlete whose profile, photo and documents have been reviewed, with an API key; ready to apply for service 1. */
export interface InsertedPerson {
  userId: number;
  key: string;
  profileId: number;
  /** An identity document and a medical one, in this order. */
  documentIds: [number, number];
}

export interface InsertOptions {
  /** Leaves the medical document waiting for its review. */
  isMedicalPending?: (index: number) => boolean;
  /** The last day of the documents; one without an end needs no process. */
  documentsExpireAt?: string | null;
  /** The administrator whose decisions stand in the history. */
  administratorId: number;
  /** The service's file storage, for the photos on certificates; null where no test opens one. Scans are rows only. */
  dataDir: string | null;
}

const scopes: Scope[] = [
  'profiles:read',
  'profiles:write',
  'files:read',
  'files:write',
  'applications:read',
  'applications:write',
  'wallet:read',
  'wallet:write',
  'events:read',
  'events:write',
  'notifications:write',
  'webhooks:write',
];
const keyLifetimeMs = 300 * 24 * 60 * 60_000;

/** The record of a stack that runs in other processes. @param url its database, as the owner of it */
export function openRecord(url: string): Database & AsyncDisposable {
  const pool = new Pool({ connectionString: url, max: 1 });
  // The server of a stack may be killed under it, between two statements of a transaction too: the next one then says so.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })] });
}

/**
 * Brings about the past of many people at once, as their registration, uploads and reviews would have left it: through the API each would
 * take seconds of hashing, drawing and inspecting.
 */
export function insertPeople(record: Database, count: number, options: InsertOptions): Promise<InsertedPerson[]> {
  return record.transaction().execute(async (db) => {
    const at = new Date();
    const { documentsExpireAt: expiresAt = '2034-01-10', isMedicalPending = () => false, administratorId, dataDir } = options;
    const storage = dataDir === null ? null : createDiskStorage({ root: join(dataDir, 'files') });
    const userIds = await insertUsers(db, count, at);
    const keys = await insertKeys(db, userIds, at);
    const photoIds = await insertFiles(db, userIds, { kind: 'photo', bytes: await makePhoto(), storage }, at);
    const owners = userIds.map((ownerId, index) => ({ ownerId, photoId: nth(photoIds, index), status: 'approved' as const }));
    const profileIds = await insertProfiles(db, owners, at);
    const scan = { kind: 'scan', bytes: await makeScan('scan'), storage: null } as const;
    const addDocuments = async (type: 'identity' | 'medical', isPending: (index: number) => boolean) => {
      const fileIds = await insertFiles(db, userIds, scan, at);
      const documents = profileIds.map((profileId, index) => {
        const status = isPending(index) ? ('pending' as const) : ('approved' as const);
        return { profileId, fileId: nth(fileIds, index), type, status, expiresAt };
      });
      const ids = await insertDocuments(db, documents, at);
      const approved = ids.filter((_, index) => !isPending(index));
      await insertDecisions(db, { kind: 'document', ids: approved, toStatus: 'approved', actorId: administratorId }, at);
      return ids;
    };
    const identityIds = await addDocuments('identity', () => false);
    const medicalIds = await addDocuments('medical', isMedicalPending);
    for (const kind of ['profile', 'photo'])
      await insertDecisions(db, { kind, ids: profileIds, toStatus: 'approved', actorId: administratorId }, at);
    return userIds.map((userId, index) => ({
      userId,
      key: nth(keys, index),
      profileId: nth(profileIds, index),
      documentIds: [nth(identityIds, index), nth(medicalIds, index)],
    }));
  });
}

async function insertKeys(db: Database, userIds: readonly number[], at: Date): Promise<string[]> {
  const keys = userIds.map(() => `fsk_${randomBytes(32).toString('base64url')}`);
  const rows = userIds.map((userId, index) => ({
    userId,
    name: 'fixture',
    prefix: 'fsk_prepared',
    keyHash: createHash('sha256').update(nth(keys, index)).digest('hex'),
    scopes,
    createdAt: at,
    expiresAt: new Date(at.getTime() + keyLifetimeMs),
  }));
  if (rows.length > 0) await db.insertInto('api_keys').values(rows).execute();
  return keys;
}

function nth<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}
