import { PDFDocument, PDFRawStream } from '@cantoo/pdf-lib';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { captchaAnswer } from '../support/captcha-answer.ts';
import { TestClient } from '../support/client.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { makePeople, signInAdministrator } from './support/bench-people.ts';
import { localUrl } from './support/bench-stack.ts';
import { dailyWork } from './support/daily-work.ts';
import { applyAndPay } from './support/lifecycle.ts';
import { peakMb, resetPeak, residentMb, say, secondsSince, type Verdict } from './support/measure.ts';

const files = 50;
/** More than four minutes need. */
const lives = 4_000;
const goalMb = 400;
const limitBytes = 20 * 1024 * 1024;

/** What the steps need. */
export const memoryEnvironment = { RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: '1000000', CAPTCHA_FIXED_ANSWER: captchaAnswer };

/** What the API holds after each kind of a day's work, then its peak while fifty people upload and download a file of 20 MB. Linux only. */
export async function benchMemory(stack: Stack): Promise<Verdict[]> {
  const pid = stack.processes.api.pid ?? 0;
  const administrator = await signInAdministrator(stack);
  const people = await makePeople(stack, files, { administratorId: administrator.id });
  for (const { what, run } of dailyWork(stack, people, await makePeople(stack, lives, { administratorId: administrator.id }))) {
    await run();
    say(`  ${what}: ${residentMb(pid)} MB`);
  }
  const afterWork = residentMb(pid);
  const clients = people.map(({ key }) => new TestClient(localUrl(stack), key));
  const content = await makeLargePdf();
  say(`  before: ${residentMb(pid)} MB; each file has ${(content.length / 1024 / 1024).toFixed(1)} MB`);
  resetPeak(pid);
  const uploaded: { client: TestClient; id: string }[] = [];
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      const { id } = client.expect(201, await client.upload(content, 'identity', 'large.pdf')).body.data;
      uploaded.push({ client, id });
    }),
  );
  say(`  uploaded ${files} in ${secondsSince(startedAt)} s, all at once: peak ${peakMb(pid)} MB`);
  const downloadedAt = performance.now();
  await Promise.all(
    uploaded.map(async ({ client, id }) => {
      const { status, bytes } = await client.get(`/files/${id}?download=1`);
      if (status !== 200 || bytes.length !== content.length) throw new Error(`a download returned ${status} and ${bytes.length} bytes`);
    }),
  );
  const peak = peakMb(pid);
  say(`  downloaded ${files} in ${secondsSince(downloadedAt)} s: peak ${peak} MB, now ${residentMb(pid)} MB`);
  return [
    below(goalMb, 'API memory after a day of work, MB', afterWork),
    below(goalMb, 'API memory with fifty 20 MB files at once, MB', peak),
  ];
}

/** A scan of the largest size: one page and an image that cannot be compressed. */
async function makeLargePdf(): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage([420, 595]).drawText('A large scan', { x: 40, y: 500, size: 18 });
  const pixels = randomBytes(limitBytes - 64 * 1024);
  document.context.register(PDFRawStream.of(document.context.obj({ Length: pixels.length }), pixels));
  return Buffer.from(await document.save());
}

function below(goal: number, what: string, megabytes: number): Verdict {
  return { what, goal: `< ${goal}`, measured: String(megabytes), isMet: megabytes < goal };
}

const atOnce = 8;
const batch = 400;
/** Until then, the garbage of the start is collected. */
const restMs = 20_000;

/** `worker-memory`: memory of a worker for all queues, at rest and after some minutes of lifecycles, eight at a time. Linux only. */
export async function benchWorkerMemory(stack: Stack, minutes: number): Promise<Verdict[]> {
  const pid = stack.processes.worker.pid ?? 0;
  const administrator = await signInAdministrator(stack);
  const people: InsertedPerson[] = [];
  const prepare = async () => void people.push(...(await makePeople(stack, batch, { administratorId: administrator.id })));
  await prepare();
  await pause(restMs);
  const atRest = residentMb(pid);
  say(`  at rest: ${atRest} MB`);
  resetPeak(pid);
  const until = Date.now() + minutes * 60_000;
  let lifecycles = 0;
  let preparing = Promise.resolve();
  let isPreparing = false;
  const run = async () => {
    while (Date.now() < until) {
      if (people.length < batch / 2 && !isPreparing) {
        isPreparing = true;
        preparing = prepare().finally(() => (isPreparing = false));
      }
      if (people.length === 0) await preparing;
      await applyAndPay(stack, people.shift());
      lifecycles += 1;
    }
  };
  const progress = setInterval(() => say(`  after ${lifecycles} lifecycles: ${residentMb(pid)} MB`), 60_000);
  await Promise.all(Array.from({ length: atOnce }, run)).finally(() => clearInterval(progress));
  await preparing;
  const after = residentMb(pid);
  if (stack.processes.worker.pid !== pid) throw new Error('the worker was restarted during the measurement');
  say(
    `  after ${minutes} minutes, ${lifecycles} lifecycles (${(lifecycles / (minutes * 60)).toFixed(1)} a second): ${after} MB, peak ${peakMb(pid)} MB`,
  );
  return [
    below(350, 'worker at rest, MB', atRest),
    below(700, `worker after ${minutes} minutes of lifecycles, ${atOnce} at a time, MB`, after),
  ];
}
