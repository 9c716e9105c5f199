import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClamdScanner, createScanner } from '../../../src/platform/scanner/clamd-scanner.ts';
import { ScannerUnavailableError } from '../../../src/platform/scanner/scanner.ts';
import { type ClamdMood, type ClamdSimulator, eicar, startClamdSimulator } from '../../support/outside-servers/clamd.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: string;
let clamd: ClamdSimulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scanner-'));
  clamd = await startClamdSimulator({ streamMaxLength: 2_000_000 });
});
beforeEach(() => {
  clamd.mood = 'obedient';
});
afterAll(async () => {
  await clamd.close();
  await rm(folder, { recursive: true });
});

const scanner = (timeoutMs = 5000) => createClamdScanner({ host: '127.0.0.1', port: clamd.port, timeoutMs });
async function file(content: Buffer | string): Promise<string> {
  const path = join(folder, randomBytes(8).toString('hex'));
  await writeFile(path, content);
  return path;
}
const noConnections = () =>
  waitFor(
    () => clamd.open,
    (open) => open === 0,
    'the connections to be closed',
  );

describe('a scan by clamd', () => {
  test.each([0, 1, 65_535, 65_536, 65_537, 1_000_000])('sends a whole file of %i bytes, unchanged', async (size) => {
    const content = randomBytes(size);
    expect(await scanner().scan(await file(content))).toEqual({ isInfected: false });
    expect(clamd.received.at(-1)?.equals(content)).toBe(true);
    await noConnections();
  });

  test('names the found virus', async () => {
    expect(await scanner().scan(await file(`%PDF-1.7\n${' '.repeat(70_000)}${eicar}`))).toEqual({
      isInfected: true,
      signature: 'Eicar-Test-Signature',
    });
  });

  test.each<ClamdMood>(['silent', 'deaf', 'broken', 'half a line', 'endless'])('is no verdict when it is %s', async (mood) => {
    clamd.mood = mood;
    await expect(scanner(mood === 'silent' || mood === 'deaf' ? 200 : 5000).scan(await file(randomBytes(1_500_000)))).rejects.toThrow(
      ScannerUnavailableError,
    );
    await noConnections();
  });

  test("has no verdict when the file exceeds the scanner's limit, or the scanner is unreachable", async () => {
    await expect(scanner().scan(await file(Buffer.alloc(3_000_000)))).rejects.toThrow(ScannerUnavailableError);
    const away = await startClamdSimulator();
    await away.close();
    const unheard = createScanner({ CLAMAV_URL: away.url, CLAMAV_TIMEOUT_SECONDS: 5 });
    await expect(unheard?.scan(await file('text'))).rejects.toThrow(ScannerUnavailableError);
  });

  test('is cancelled with its request', async () => {
    clamd.mood = 'silent';
    const controller = new AbortController();
    const scan = scanner(60_000).scan(await file('text'), controller.signal);
    const before = clamd.received.length;
    await waitFor(
      () => clamd.received.length,
      (received) => received > before,
      'the scan',
    );
    controller.abort(new Error('gone'));
    await expect(scan).rejects.toBe(controller.signal.reason);
    await noConnections();
  });

  test('runs only with a configured scanner', () => {
    expect(createScanner({ CLAMAV_URL: undefined, CLAMAV_TIMEOUT_SECONDS: 10 })).toBeNull();
  });
});
