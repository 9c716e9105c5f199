import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createStorage } from '../../../src/platform/storage/create-storage.ts';
import { createDiskStorage } from '../../../src/platform/storage/disk-storage.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import {
  type Storage,
  StorageObjectMissingError,
  StorageSizeError,
  StorageUnavailableError,
} from '../../../src/platform/storage/storage.ts';
import { type S3Server, startS3Server } from '../../support/outside-servers/s3-server.ts';

const newKey = () => {
  const id = randomUUID();
  return `${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`;
};
const text = { contentType: 'text/plain' };

/** The contract of every storage. */
function behavesLikeStorage(getStorage: () => Storage): void {
  let storage: Storage;
  beforeAll(() => {
    storage = getStorage();
  });

  it('is ready', async () => {
    await expect(storage.check()).resolves.toBeUndefined();
  });

  it.each([
    ['a buffer', 10],
    ['a stream', 10],
    ['nothing at all', 0],
    ['a stream of several parts', 12 * 1024 * 1024 + 7],
  ])('returns %s unchanged', async (what, size) => {
    const key = newKey();
    const bytes = randomBytes(size);
    await storage.put(key, what === 'a buffer' ? bytes : Readable.from(slices(bytes)), { ...text, size });
    expect(await storage.stat(key)).toEqual({ size });
    expect((await buffer(await storage.get(key))).equals(bytes)).toBe(true);
  });

  it('replaces a whole object', async () => {
    const key = newKey();
    await storage.put(key, Buffer.from('a longer text'), { ...text, size: 13 });
    await storage.put(key, Buffer.from('short'), { ...text, size: 5 });
    expect((await buffer(await storage.get(key))).toString()).toBe('short');
  });

  it('returns ranges, both ends included', async () => {
    const key = newKey();
    await storage.put(key, Buffer.from('0123456789'), { ...text, size: 10 });
    const read = async (start: number, end: number) => (await buffer(await storage.get(key, { start, end }))).toString();
    expect(await read(0, 3)).toBe('0123');
    expect(await read(2, 5)).toBe('2345');
    expect(await read(9, 9)).toBe('9');
    for (const [start, end] of [
      [5, 4],
      [-1, 3],
      [0.5, 2],
      [10, 12],
    ] as const)
      await expect(read(start, end)).rejects.toThrow(RangeError);
  });

  it('reports a missing object', async () => {
    const key = newKey();
    expect(await storage.stat(key)).toBeNull();
    await expect(storage.get(key)).rejects.toThrow(StorageObjectMissingError);
    await expect(storage.get(key, { start: 0, end: 1 })).rejects.toThrow(StorageObjectMissingError);
  });

  it('deletes idempotently', async () => {
    const key = newKey();
    await storage.put(key, Buffer.from('x'), { ...text, size: 1 });
    await storage.delete(key);
    await storage.delete(key);
    expect(await storage.stat(key)).toBeNull();
  });

  it.each([
    ['shorter', 9],
    ['longer', 11],
  ])('stores nothing of a source %s than announced', async (_what, actual) => {
    for (const source of [Buffer.alloc(actual), Readable.from([Buffer.alloc(actual)])]) {
      const key = newKey();
      await expect(storage.put(key, source, { ...text, size: 10 })).rejects.toThrow(StorageSizeError);
      expect(await storage.stat(key)).toBeNull();
    }
  });

  it('stores nothing of an aborted upload', async () => {
    const brokenWithError = new Readable({ read() {} });
    const brokenWithout = new Readable({ read() {} });
    for (const source of [brokenWithError, brokenWithout]) {
      const key = newKey();
      source.push(Buffer.alloc(100));
      const put = storage.put(key, source, { ...text, size: 1000 });
      source.destroy(source === brokenWithError ? new Error('the client is gone') : undefined);
      await expect(put).rejects.toThrow(source === brokenWithError ? 'the client is gone' : StorageSizeError);
      expect(await storage.stat(key)).toBeNull();
    }
  });

  it.each([
    '../etc/passwd',
    'a/../../b',
    '/etc/passwd',
    'a//b',
    '.hidden',
    'a/.tmp',
    'A',
    'a b',
    'a\\b',
    'a\0',
    '',
    'a/',
    'é',
    'a'.repeat(201),
  ])('refuses the key %j', async (key) => {
    await expect(storage.put(key, Buffer.from('x'), { ...text, size: 1 })).rejects.toThrow(TypeError);
    await expect(storage.get(key)).rejects.toThrow(TypeError);
    await expect(storage.stat(key)).rejects.toThrow(TypeError);
    await expect(storage.delete(key)).rejects.toThrow(TypeError);
  });
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storage-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('storage on disk', () => {
  it('calls a folder that it can no longer use an outage', async () => {
    const root = join(folder, 'lost');
    const storage = createDiskStorage({ root });
    const key = newKey();
    await storage.put(key, Buffer.from('a'), { ...text, size: 1 });
    await rm(root, { recursive: true });
    await writeFile(root, 'not a folder');
    for (const use of [storage.get(key), storage.stat(key), storage.delete(key), storage.put(key, Buffer.from('a'), { ...text, size: 1 })])
      await expect(use).rejects.toBeInstanceOf(StorageUnavailableError);
  });

  behavesLikeStorage(() => createDiskStorage({ root: join(folder, 'disk') }));

  it('protects files from other users and leaves no partial file', async () => {
    const root = join(folder, 'private');
    const storage = createDiskStorage({ root });
    await storage.put('ab/cd/file', Buffer.from('x'), { ...text, size: 1 });
    expect((await stat(join(root, 'ab/cd/file'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, 'ab/cd'))).mode & 0o777).toBe(0o700);
    await expect(storage.put('ab/cd/other', Buffer.from('x'), { ...text, size: 2 })).rejects.toThrow(StorageSizeError);
    expect(await readdir(join(root, '.tmp'))).toEqual([]);
  });

  it('deletes the partial files of a killed process, but not those of a running one', async () => {
    const root = join(folder, 'left');
    await mkdir(join(root, '.tmp'), { recursive: true });
    for (const name of ['old', 'new']) await writeFile(join(root, '.tmp', name), 'x');
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(join(root, '.tmp', 'old'), hoursAgo, hoursAgo);
    await createDiskStorage({ root }).check();
    expect(await readdir(join(root, '.tmp'))).toEqual(['new']);
  });

  it('reports an unusable folder', async () => {
    await writeFile(join(folder, 'a-file'), 'x');
    await expect(createDiskStorage({ root: join(folder, 'a-file') }).check()).rejects.toThrow(StorageUnavailableError);
  });
});

describe('storage on S3', () => {
  // `S3_TEST_ENDPOINT` (with bucket `registry-test` and the keys below) runs the same contract against another server.
  const given = process.env['S3_TEST_ENDPOINT'];
  const access = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', forcePathStyle: true, bucket: 'registry-test' };
  let server: S3Server | null = null;
  let endpoint: string;
  beforeAll(async () => {
    if (given) {
      endpoint = given;
      return;
    }
    server = await startS3Server({ directory: join(folder, 's3'), ...access });
    endpoint = server.endpoint;
  });
  afterAll(() => server?.close());

  behavesLikeStorage(() => createS3Storage({ ...access, endpoint }));

  it('reports a wrong bucket, key or server', async () => {
    await expect(createS3Storage({ ...access, endpoint, bucket: 'no-such-bucket' }).check()).rejects.toThrow(StorageUnavailableError);
    await expect(createS3Storage({ ...access, endpoint: 'http://127.0.0.1:1' }).check()).rejects.toThrow(StorageUnavailableError);
  });
});

describe('the choice of storage', () => {
  it('follows the configuration', async () => {
    const config = { STORAGE: 'disk', DATA_DIR: join(folder, 'chosen'), S3_REGION: 'us-east-1', S3_FORCE_PATH_STYLE: true } as const;
    const storage = await createStorage(config);
    await storage.put('ab/file', Buffer.from('x'), { ...text, size: 1 });
    expect((await stat(join(folder, 'chosen', 'files', 'ab', 'file'))).size).toBe(1);
    await expect(createStorage({ ...config, STORAGE: 's3' })).rejects.toThrow(TypeError);
  });
});
