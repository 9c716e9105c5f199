import sharp from 'sharp';
import { setTimeout } from 'node:timers/promises';
import type { Stack } from '../../../src/tools/embedded/stack.ts';
import { TestClient } from '../../support/client.ts';
import type { InsertedPerson } from '../../support/factories.ts';
import { inParallel, localUrl } from './bench-stack.ts';
import { applyAndPay } from './lifecycle.ts';

/** What a start leaves behind is collected by then. */
const restMs = 15_000;
const lifetimes = { minutes: 4, atOnce: 8 };

/** One kind of work of a day, in the order in which it is measured. */
interface Step {
  what: string;
  run: () => Promise<void>;
}

/** Work that leaves memory behind in the API. The lives need `livesPeople`, each used once. */
export function dailyWork(stack: Stack, people: readonly InsertedPerson[], livesPeople: InsertedPerson[]): Step[] {
  const url = localUrl(stack);
  return [
    { what: 'at rest', run: () => setTimeout(restMs) },
    { what: '600 captchas', run: () => drawCaptchas(url, 600) },
    {
      what: '60 registrations',
      run: () =>
        inParallel(range(60), 6, (index) => new TestClient(url).register(`memory-${index}@example.test`, 'Measured Person', password)),
    },
    { what: '120 uploads of images', run: () => uploadImages(url, people, 120) },
    {
      what: '6,000 reads',
      run: () =>
        inParallel(range(6_000), 16, async (index) => {
          const client = new TestClient(url, people[index % people.length]?.key);
          client.expect(200, await client.get(readPaths[index % readPaths.length] ?? '/account'));
        }),
    },
    { what: '600 more captchas', run: () => drawCaptchas(url, 600) },
    {
      what: `${lifetimes.minutes} minutes of lives`,
      async run() {
        const until = Date.now() + lifetimes.minutes * 60_000;
        await inParallel(range(lifetimes.atOnce), lifetimes.atOnce, async () => {
          while (Date.now() < until && livesPeople.length > 0) await applyAndPay(stack, livesPeople.shift());
        });
      },
    },
  ];
}

const password = 'a-long-enough-secret';
const readPaths = ['/account', '/applications', '/files', '/wallet', '/catalog'];

async function drawCaptchas(url: string, count: number): Promise<void> {
  const sessions = 40;
  await inParallel(range(sessions), 10, async () => {
    const client = new TestClient(url);
    await client.session();
    for (const _ of range(count / sessions)) client.expect(200, await client.get('/captcha?purpose=contact'));
  });
}

async function uploadImages(url: string, people: readonly InsertedPerson[], count: number): Promise<void> {
  const { data, info } = await sharp({
    create: { width: 2400, height: 1800, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  })
    .jpeg()
    .toBuffer({ resolveWithObject: true });
  if (info.size < 1_000_000) throw new Error(`an image of ${info.size} bytes is too small to measure`);
  await inParallel(range(count), 6, async (index) => {
    const client = new TestClient(url, people[index % people.length]?.key);
    client.expect(201, await client.upload(data, 'identity', 'scan.jpg'));
  });
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
