import { PDFDocument, PDFRawStream } from '@cantoo/pdf-lib';
import { randomBytes } from 'node:crypto';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { makePeople, signInAdministrator } from './support/bench-people.ts';
import { localUrl } from './support/bench-stack.ts';
import { peakMb, resetPeak, residentMb } from './support/process-memory.ts';
import { say, type Verdict } from './support/report.ts';

const files = 50;
const limitBytes = 20 * 1024 * 1024;
const goalMb = 400;

/** The API's peak memory while fifty people upload a file of 20 MB each, and download it again. Linux only. */
export async function benchMemory(stack: Stack): Promise<Verdict[]> {
  const pid = stack.processes.api.pid ?? 0;
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, files, { administratorId: administrator.id });
  const clients = people.map(({ key }) => new TestClient(localUrl(stack), key));
  const content = await makeLargePdf();
  say(`  before: ${residentMb(pid)} MB; each file has ${(content.length / 1024 / 1024).toFixed(1)} MB`);
  if (!resetPeak(pid)) say('  the peak counts from the start of the process');
  const uploaded: { client: TestClient; id: string }[] = [];
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      const { id } = client.expect(201, await client.upload(content, 'identity', 'large.pdf')).body.data;
      uploaded.push({ client, id });
    }),
  );
  say(`  uploaded ${files} in ${seconds(startedAt)} s, all at once: peak ${peakMb(pid)} MB`);
  const downloadedAt = performance.now();
  await Promise.all(
    uploaded.map(async ({ client, id }) => {
      const { status, bytes } = await client.get(`/files/${id}?download=1`);
      if (status !== 200 || bytes.length !== content.length)
        throw new Error(`a download was answered ${status} with ${bytes.length} bytes`);
    }),
  );
  const peak = peakMb(pid);
  say(`  downloaded ${files} in ${seconds(downloadedAt)} s: peak ${peak} MB, now ${residentMb(pid)} MB`);
  return [
    {
      what: 'API memory while fifty 20 MB files go in and out at once, MB',
      goal: `< ${goalMb}`,
      measured: String(peak),
      isMet: peak < goalMb,
    },
  ];
}

/** A scan as large as the limit allows: one page and a picture's worth of bytes that nobody can compress. */
async function makeLargePdf(): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage([420, 595]).drawText('A large scan', { x: 40, y: 500, size: 18 });
  const pixels = randomBytes(limitBytes - 64 * 1024);
  document.context.register(PDFRawStream.of(document.context.obj({ Length: pixels.length }), pixels));
  return Buffer.from(await document.save());
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
