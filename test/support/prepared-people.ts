import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from 'pg';
import { createDiskStorage } from '../../src/platform/storage/disk-storage.ts';
import { makePhoto, makeScan } from './scans.ts';

/** A grown-up athlete whose profile, photo and documents have been reviewed, with an API key; ready to apply for service 1. */
export interface PreparedPerson {
  userId: number;
  key: string;
  profileId: number;
  /** An identity document and a medical one, in this order. */
  documentIds: [number, number];
}

export interface PreparationOptions {
  /** Leaves the medical document waiting for its review. */
  isMedicalPending?: (index: number) => boolean;
  /** The last day of the documents; one without an end needs no process. */
  documentsExpireAt?: string | null;
  /** The administrator whose decisions stand in the history. */
  administratorId: number;
  /** Where the service keeps its files, for the photos that certificates show; null where nobody opens one. Scans are rows only. */
  dataDir: string | null;
}

const scopes = '{profiles:read,profiles:write,files:read,files:write,applications:read,applications:write,wallet:read,wallet:write}';

/**
 * Brings about the past of many people at once by SQL, as their registration, uploads and reviews would have left it: through
 * the API each would take seconds of hashing, drawing and inspecting.
 * @param owner a connection as the owner of the database
 */
export async function preparePeople(owner: Client, count: number, options: PreparationOptions): Promise<PreparedPerson[]> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const keys = indexes.map(() => `fsk_${randomBytes(32).toString('base64url')}`);
  const pendingMedical = indexes.map((index) => options.isMedicalPending?.(index) ?? false);
  await owner.query('begin');
  const userIds = await insertUsers(owner, count);
  await insertKeys(owner, userIds, keys);
  const photos = await insertFiles(owner, userIds, 'photo', await makePhoto(), options.dataDir);
  const profileIds = await insertProfiles(owner, userIds, photos);
  const scan = await makeScan('scan');
  const { documentsExpireAt: expiresAt = '2034-01-10' } = options;
  const identities = await insertDocuments(owner, profileIds, await insertFiles(owner, userIds, 'identity', scan, null), {
    type: 'identity',
    expiresAt,
    isPending: indexes.map(() => false),
  });
  const medicals = await insertDocuments(owner, profileIds, await insertFiles(owner, userIds, 'identity', scan, null), {
    type: 'medical',
    expiresAt,
    isPending: pendingMedical,
  });
  const decide = (kind: string, ids: number[]) => insertDecisions(owner, kind, ids, options.administratorId);
  await decide('profile', profileIds);
  await decide('photo', profileIds);
  await decide('document', [...identities, ...medicals.filter((_, index) => !pendingMedical[index])]);
  await owner.query('commit');
  return indexes.map((index) => ({
    userId: at(userIds, index),
    key: at(keys, index),
    profileId: at(profileIds, index),
    documentIds: [at(identities, index), at(medicals, index)],
  }));
}

async function insertUsers(owner: Client, count: number): Promise<number[]> {
  const mark = randomBytes(4).toString('hex');
  return ids(
    owner,
    `insert into users (email, password_hash, name, role, status, created_at, updated_at)
     select 'prepared-' || $1 || '-' || n || '@example.kz', 'nobody signs in with this', 'Person ' || n, 'user', 'active', now(), now()
     from generate_series(1, $2::int) n order by n returning id`,
    [mark, count],
  );
}

async function insertKeys(owner: Client, userIds: number[], keys: string[]): Promise<void> {
  const hashes = keys.map((key) => createHash('sha256').update(key).digest('hex'));
  await owner.query(
    `insert into api_keys (user_id, name, prefix, key_hash, scopes, expires_at, created_at)
     select user_id, 'prepared', 'fsk_prepared', key_hash, $3::text[], now() + interval '300 days', now()
     from unnest($1::int[], $2::text[]) as k (user_id, key_hash)`,
    [userIds, hashes, scopes],
  );
}

async function insertFiles(owner: Client, userIds: number[], purpose: string, content: Buffer, dataDir: string | null): Promise<string[]> {
  const fileIds = userIds.map(() => randomUUID());
  const isPhoto = purpose === 'photo';
  await owner.query(
    `insert into files (id, owner_id, purpose, name, mime, size, sha256, width, height, pages, storage_key, created_at)
     select id, owner_id, $3, $4, $5, $6, $7, $8, $9, $10, 'prepared/' || id, now() from unnest($1::uuid[], $2::int[]) as f (id, owner_id)`,
    [
      fileIds,
      userIds,
      purpose,
      isPhoto ? 'photo.jpg' : 'scan.pdf',
      isPhoto ? 'image/jpeg' : 'application/pdf',
      content.length,
      createHash('sha256').update(content).digest('hex'),
      isPhoto ? 450 : null,
      isPhoto ? 600 : null,
      isPhoto ? null : 1,
    ],
  );
  if (dataDir !== null) {
    const storage = createDiskStorage({ root: join(dataDir, 'files') });
    const facts = { contentType: isPhoto ? 'image/jpeg' : 'application/pdf', size: content.length };
    for (const id of fileIds) await storage.put(`prepared/${id}`, content, facts);
  }
  return fileIds;
}

async function insertProfiles(owner: Client, userIds: number[], photoIds: string[]): Promise<number[]> {
  const data = {
    last_name: 'Әбдіқадырұлы',
    first_name: 'Ғалым',
    birth_date: '1990-05-17',
    gender: 'male',
    citizenship: 'KZ',
    city: 'Өскемен',
  };
  return ids(
    owner,
    `insert into profiles (owner_id, kind, name, data, photo_id, status, photo_status, ever_approved, submitted_at, created_at, updated_at)
     select owner_id, 'athlete', 'Әбдіқадырұлы Ғалым', $3, photo_id, 'approved', 'approved', true, now(), now(), now()
     from unnest($1::int[], $2::uuid[]) as p (owner_id, photo_id) returning id`,
    [userIds, photoIds, JSON.stringify(data)],
  );
}

async function insertDocuments(
  owner: Client,
  profileIds: number[],
  fileIds: string[],
  { type, expiresAt, isPending }: { type: string; expiresAt: string | null; isPending: boolean[] },
): Promise<number[]> {
  return ids(
    owner,
    `insert into documents (profile_id, type, file_id, number, country, issued_at, expires_at, status, decided_at, created_at, updated_at)
     select profile_id, $4, file_id, 'N12345678', 'KZ', '2024-01-10', $5::date,
       case when is_pending then 'pending' else 'approved' end, case when is_pending then null else now() end, now(), now()
     from unnest($1::int[], $2::uuid[], $3::boolean[]) as d (profile_id, file_id, is_pending) returning id`,
    [profileIds, fileIds, isPending, type, expiresAt],
  );
}

async function insertDecisions(owner: Client, kind: string, subjectIds: number[], administratorId: number): Promise<void> {
  await owner.query(
    `insert into review_decisions (subject_kind, subject_id, decision, from_status, to_status, actor_id, request_id, at)
     select $2, id, 'approve', 'pending', 'approved', $3, 'prepared', now() from unnest($1::int[]) as id`,
    [subjectIds, kind, administratorId],
  );
}

async function ids(owner: Client, sql: string, params: unknown[]): Promise<number[]> {
  const { rows } = await owner.query<{ id: number }>(sql, params);
  return rows.map(({ id }) => id);
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}
