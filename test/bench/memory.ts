import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { PDFDocument, PDFRawStream } from '@cantoo/pdf-lib';
import type { Stack } from '../../src/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { makePeople, signInAdministrator } from './bench-people.ts';
import { localUrl } from './bench-stack.ts';
import { say } from './report.ts';
import type { Verdict } from './report.ts';

const files = 50;
const limitBytes = 20 * 1024 * 1024;
const goalMb = 300;

/** The API's peak memory while fifty files of 20 MB are uploaded, inspected, stored, and downloaded again. Linux only. */
export async function benchMemory(stack: Stack): Promise<Verdict[]> {
  const pid = stack.parts.api.pid ?? 0;
  const administrator = await signInAdministrator(stack);
  const [person] = await makePeople(stack, 1, { administratorId: administrator.id });
  const client = new TestClient(localUrl(stack), person?.key ?? '');
  const content = await makeLargePdf();
  say(`  before: ${residentMb(pid)} MB; each file has ${(content.length / 1024 / 1024).toFixed(1)} MB`);
  // "5" resets the peak; where that is not allowed the peak since the start of the process counts, which is higher at the most.
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    say('  the peak counts from the start of the process');
  }
  const ids: string[] = [];
  const startedAt = performance.now();
  await allAtOnce(async () => ids.push(client.expect(201, await client.upload(content, 'identity', 'large.pdf')).body.data.id));
  say(`  uploaded ${files} in ${seconds(startedAt)} s, all at once: peak ${peakMb(pid)} MB`);
  const downloadedAt = performance.now();
  const waiting = [...ids];
  await allAtOnce(async () => {
    const { status, bytes } = await client.get(`/files/${waiting.shift()}?download=1`);
    if (status !== 200 || bytes.length !== content.length) throw new Error(`a download was answered ${status} with ${bytes.length} bytes`);
  });
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

async function allAtOnce(work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: files }, work));
}

/** A scan as large as the limit allows: one page and a picture's worth of bytes that nobody can compress. */
async function makeLargePdf(): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage([420, 595]).drawText('A large scan', { x: 40, y: 500, size: 18 });
  const pixels = randomBytes(limitBytes - 64 * 1024);
  document.context.register(PDFRawStream.of(document.context.obj({ Length: pixels.length }), pixels));
  return Buffer.from(await document.save());
}

function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

function peakMb(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

function statusMb(pid: number, field: string): number {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error(`this system does not tell ${field}`);
  return Math.round(Number(kilobytes) / 1024);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
