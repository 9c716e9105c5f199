import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { streamArchive } from '../../../src/platform/archive/stream-archive.ts';
import { spool } from '../../../src/platform/storage/spool.ts';
import { readZip } from '../../support/papers/read-zip.ts';
import { waitFor } from '../../support/wait-for.ts';

const at = new Date('2026-06-01T10:00:00Z');
const bytes = (size: number, value: number) => Buffer.alloc(size, value);

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'registry-archive-'))));
afterEach(() => rm(folder, { recursive: true }));

test('an archive has its entries in order, uncompressed, with sizes in the local headers', async () => {
  const entries = [
    { name: 'document.xlsx', bytes: bytes(10, 1) },
    { name: 'foto/KZ-N-2026-000001.jpg', bytes: bytes(3_000_000, 2) },
    { name: 'qr/KZ-N-2026-000001.png', bytes: bytes(70_000, 3) },
  ];
  const zip = await buffer(await streamArchive(Readable.from(entries), at));
  const read = readZip(zip);
  expect([...read.keys()]).toEqual(entries.map(({ name }) => name));
  // A direct comparison, because the matchers are slow with bytes.
  expect(entries.filter(({ name, bytes: content }) => read.get(name)?.equals(content) !== true)).toEqual([]);
  expect([zip.readUInt16LE(6) & 8, zip.readUInt16LE(8), zip.readUInt32LE(18)]).toEqual([0, 0, 10]);
  // With an external tool, if it is installed.
  await writeFile(join(folder, 'made.zip'), zip);
  const { stdout } = await promisify(execFile)('unzip', ['-t', join(folder, 'made.zip')]).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return { stdout: 'No errors detected' };
    throw error;
  });
  expect(stdout).toContain('No errors detected');
});

test('an archive reads its source as fast as its reader, and ends when the reader closes', async () => {
  let given = 0;
  let isOver = false;
  async function* endless() {
    try {
      for (;;) {
        given += 1;
        yield { name: `${given}`, bytes: bytes(1_000_000, given) };
      }
    } finally {
      isOver = true;
    }
  }
  const archive = await streamArchive(endless(), at);
  const iterator = archive[Symbol.asyncIterator]();
  for (let taken = 0; taken < 5_000_000;) taken += (await iterator.next()).value.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(given).toBeLessThan(12);
  archive.destroy();
  await waitFor(
    () => isOver,
    (isIt) => isIt,
    'the entries to end',
  );
});

test('a failure aborts the archive, and no part of it stays', async () => {
  async function* failing() {
    yield { name: 'one', bytes: bytes(200_000, 1) };
    throw new Error('the photo is lost');
  }
  let isKept = false;
  const keep = async () => void (isKept = true);
  await expect(spool(await streamArchive(failing(), at), keep, folder)).rejects.toThrow('the photo is lost');
  expect(isKept).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});

test('a spooled file has no name and can be read twice', async () => {
  let namesMeanwhile: string[] = [];
  async function* source() {
    yield bytes(100_000, 1);
    namesMeanwhile = await readdir(folder);
    yield bytes(100_000, 2);
  }
  const made = await spool(
    Readable.from(source()),
    async ({ size, sha256, open }) => ({ size, sha256, first: await buffer(open()), second: await buffer(open()) }),
    folder,
  );
  expect(made.size).toBe(200_000);
  expect(made.sha256).toBe(createHash('sha256').update(made.first).digest('hex'));
  expect(made.first.equals(Buffer.concat([bytes(100_000, 1), bytes(100_000, 2)]))).toBe(true);
  expect(made.second.equals(made.first)).toBe(true);
  expect(namesMeanwhile).toEqual([]);
});
