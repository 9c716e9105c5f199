import type { Browser, BrowserContext, Page } from 'playwright-core';
import qrcode from 'qrcode';
import sharp from 'sharp';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultBrand } from '../../src/platform/brand/brand.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';
import { type GateServer, startGateServer } from '../support/gate/gate-server.ts';

const chromium = findChromium();
if (chromium === null) process.stderr.write('Skipped: the tests of /gate, which need Chromium (Debian: apt-get install chromium)\n');
const inChromium = chromium === null ? test.skip : test;

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const tablet = { viewport: { width: 820, height: 1180 }, isMobile: true, hasTouch: true };
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'gate-'));
/** Folder for pictures that a person looks at; none by default. */
const pictures = process.env['GATE_PICTURES'];

let gate: GateServer;
let browser: Browser;

beforeAll(async () => {
  if (chromium === null) return;
  gate = await startGateServer();
  browser = await launchChromium(chromium, await makeFilm(gate.linkTo('NC-2026-000042', 0)));
});
afterAll(async () => {
  await browser?.close();
  await gate?.cut();
  rmSync(folder, { recursive: true, force: true });
});

describe('/gate', () => {
  inChromium('reads a QR by camera and says valid, in large digits (GAT-7)', async () => {
    await visit({ ...phone, locale: 'ru-RU' }, async (page) => {
      await page.click('#scan');
      await expectVerdict(page, 'valid', 'Действителен');
      expect(await page.textContent('#number')).toBe('NC-2026-000042');
      expect(await page.evaluate('parseFloat(getComputedStyle(document.getElementById("number")).fontSize)')).toBeGreaterThan(27);
      await look(page, 'valid-ru-phone');
      await page.click('#next');
      // The same code does not come back at once, so the camera can be stopped.
      await page.click('#scan');
      expect(await page.isHidden('#view')).toBe(true);
    });
  });

  inChromium('works without a network after one visit under 300 KB (GAT-7)', async () => {
    gate.sentBytes = 0;
    await visit({ ...phone, locale: 'kk-KZ' }, async (page) => {
      expect(gate.sentBytes).toBeLessThan(300_000);
      await gate.cut();
      try {
        await page.reload();
        await page.waitForFunction(() => document.getElementById('age')?.textContent?.includes('Желі жоқ'));
        await paste(page, gate.linkTo('NC-2026-000043', 0));
        await expectVerdict(page, 'valid', 'Жарамды');
        // The next text may be there before the page hears that the dialog is closed.
        await page.evaluate(
          (text) => {
            document.getElementById('next')?.click();
            (document.getElementById('text') as HTMLTextAreaElement).value = text;
          },
          gate.linkTo('NC-2026-000044', 1),
        );
        await page.click('#pasted button');
        await expectVerdict(page, 'not_valid', 'Жарамсыз');
        await look(page, 'invalid-kk-phone');
        await page.click('#next');
        await page.setInputFiles('#photo', {
          name: 'qr.png',
          mimeType: 'image/png',
          buffer: await picture(gate.linkTo('NC-2026-000045', 2)),
        });
        await expectVerdict(page, 'not_valid', 'Жарамсыз');
        await page.click('#next');
        // A QR of a certificate that was issued before credentials.
        await paste(page, gate.linkTo('', 0).split('#')[0] ?? '');
        await expectVerdict(page, 'cannot_tell', 'Анықтау мүмкін емес');
        await look(page, 'cannot-tell-kk-phone');
      } finally {
        await gate.restore();
      }
    });
  });

  inChromium('reads a photo of a whole page at 150 dpi with a code of 30 mm (GAT-7)', async () => {
    await visit({ ...phone, locale: 'en-GB' }, async (page) => {
      const photo = await pageAt150Dpi(gate.linkTo('NC-2026-000050', 0), 30);
      await page.setInputFiles('#photo', { name: 'page.jpg', mimeType: 'image/jpeg', buffer: photo });
      await expectVerdict(page, 'valid', 'Valid');
      expect(await page.textContent('#number')).toBe('NC-2026-000050');
    });
  });

  inChromium('names the time of lists that are not complete up to five minutes ago, and refreshes them (GAT-6, GAT-7)', async () => {
    // An edition lives long when nothing changes: one without waiting changes is of now.
    gate.listAge = 3600;
    await visit({ ...tablet, locale: 'en-GB' }, async (page) => {
      const link = gate.linkTo('NC-2026-000046', 0);
      await paste(page, link);
      await expectVerdict(page, 'valid', /^Valid$/);
      await page.click('#next');
      await gate.cut();
      await page.clock.setFixedTime(Date.now() + 6 * 60_000);
      await paste(page, link);
      await expectVerdict(page, 'valid', /^Valid as of (.+ )?\d\d:\d\d$/);
      await look(page, 'valid-as-of-en-tablet');
      await page.click('#next');
      await gate.restore();
      gate.requests = [];
      await page.click('#refresh');
      await waitFor(() => gate.requests.includes('/status-lists/1'));
      await page.waitForFunction(() => !document.getElementById('age')?.textContent?.includes('No network'));
      await paste(page, link);
      await expectVerdict(page, 'valid', /^Valid$/);
      await page.click('#next');
      await gate.cut();
      await page.clock.setFixedTime(Date.now() + 23.5 * 3600_000);
      await paste(page, link);
      await expectVerdict(page, 'cannot_tell', 'Cannot tell');
    });
    gate.listAge = 60;
    await gate.restore();
  });

  inChromium('names the time of the oldest change that waits, also when the list itself is unchanged (GAT-6, GAT-7)', async () => {
    gate.changeWaits = 600;
    try {
      await visit({ ...phone, locale: 'en-GB' }, async (page) => {
        const link = gate.linkTo('NC-2026-000051', 0);
        const expectWord = async (word: RegExp) => {
          await paste(page, link);
          await expectVerdict(page, 'valid', word);
          await page.click('#next');
        };
        // Just after midnight the time is of another day, which the words then name before it.
        const listTime = async () => /\d\d:\d\d/.exec((await page.textContent('#age')) ?? '')?.[0] ?? '';
        /** Asks again, which the page answers with another time of its lists. */
        const refresh = async () => {
          const before = await listTime();
          gate.requests = [];
          await page.click('#refresh');
          await page.waitForFunction((time) => !document.getElementById('age')?.textContent?.includes(time), before);
          expect(gate.requests).toContain('/status-lists/1 304');
        };
        const first = await listTime();
        await expectWord(new RegExp(`^Valid as of (.+ )?${first}$`));

        // The edition stays; only the headers of the 304 tell that a change of twenty minutes ago waits.
        gate.isUnchanged = true;
        gate.changeWaits = 1200;
        await refresh();
        const second = await listTime();
        expect([9, 10, 11]).toContain(minutesBetween(second, first));
        await expectWord(new RegExp(`^Valid as of (.+ )?${second}$`));

        gate.changeWaits = 240;
        await refresh();
        await expectWord(/^Valid$/);

        gate.changeWaits = null;
        await refresh();
        await expectWord(/^Valid$/);
      });
    } finally {
      gate.isUnchanged = false;
      gate.changeWaits = null;
    }
  });

  inChromium('opens the page of the registry where it cannot tell and has a network (GAT-8)', async () => {
    await visit({ ...phone, locale: 'en-GB' }, async (page) => {
      await paste(page, gate.linkTo('', 0).split('#')[0] ?? '');
      await page.waitForURL('**/v/*');
      expect(await page.title()).toBe('The page of the registry');
    });
  });

  inChromium('keeps the checks on the device alone, in the chosen language (GAT-9)', async () => {
    await visit({ ...tablet, locale: 'ru-RU' }, async (page) => {
      gate.requests = [];
      await paste(page, gate.linkTo('NC-2026-000047', 2));
      await expectVerdict(page, 'not_valid', 'Недействителен');
      await page.click('#next');
      await page.selectOption('#language', 'en');
      await page.reload();
      await page.click('summary');
      expect(await page.textContent('#checks li')).toMatch(/NC-2026-000047 · Not valid · Suspended/);
      expect(await page.title()).toBe('Document check');
      expect(gate.requests.filter((path) => !/^\/(gate|status-lists|\.well-known)/.test(path))).toEqual([]);
      await look(page, 'start-en-tablet');
    });
  });

  inChromium('replaces a release by the next one, never under a verdict (GAT-7)', async () => {
    await visit({ ...phone, locale: 'en-GB' }, async (page) => {
      await paste(page, gate.linkTo('NC-2026-000048', 0));
      await expectVerdict(page, 'valid', 'Valid');
      gate.brand = { ...defaultBrand, name: { ...defaultBrand.name, en: 'Next federation' }, colour: '#7a1f5c' };
      // Meanwhile another process answers with the page of the former release.
      gate.pageBrand = defaultBrand;
      try {
        const ended = await page.evaluate(async () => {
          const registration = await navigator.serviceWorker.ready;
          const installed = new Promise((resolve) => {
            registration.addEventListener('updatefound', () => {
              const worker = registration.installing;
              worker?.addEventListener('statechange', () => {
                if (worker.state === 'redundant' || worker.state === 'activated') resolve(worker.state);
              });
            });
          });
          await registration.update();
          return installed;
        });
        expect(ended).toBe('redundant');
        gate.pageBrand = null;
        await page.evaluate(async () => {
          const workers = navigator.serviceWorker;
          const replaced = new Promise((resolve) => workers.addEventListener('controllerchange', resolve));
          await (await workers.ready).update();
          await replaced;
        });
        expect(await page.evaluate(() => document.querySelector('dialog')?.open)).toBe(true);
        await page.click('#next');
        await page.waitForFunction(() => document.getElementById('brand')?.textContent === 'Next federation');
        expect(await page.evaluate(() => getComputedStyle(document.getElementById('scan') as HTMLElement).backgroundColor)).toBe(
          'rgb(122, 31, 92)',
        );
        expect(await page.evaluate(() => caches.keys())).toHaveLength(2);
      } finally {
        Object.assign(gate, { brand: defaultBrand, pageBrand: null });
      }
    });
  });

  inChromium('axe has no findings on a phone, and nothing is wider than a phone or a tablet', async () => {
    await visit({ ...phone, locale: 'en-GB' }, async (page) => {
      for (const language of ['ru', 'kk', 'en']) {
        await page.selectOption('#language', language);
        await expectAccessible(page);
        await look(page, `start-${language}-phone`);
        await paste(page, gate.linkTo('NC-2026-000049', 2));
        await page.waitForSelector('dialog.not_valid');
        await expectAccessible(page);
        await look(page, `suspended-${language}-phone`);
        await page.click('#next');
      }
    });
  });
});

/** Opens the page in a new browser profile and waits until its first visit is over. */
async function visit(options: Parameters<Browser['newContext']>[0], use: (page: Page) => Promise<void>): Promise<void> {
  const context: BrowserContext = await browser.newContext({ ...options, permissions: ['camera'] });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  try {
    await page.goto(`${gate.url}/gate`);
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await page.waitForFunction(() => /\d\d:\d\d/.test(document.getElementById('age')?.textContent ?? ''));
    await use(page);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Minutes from one time of day (`23:55`) to a later one, also after midnight. */
function minutesBetween(from: string, to: string): number {
  const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  return (minutes(to) - minutes(from) + 1440) % 1440;
}

async function paste(page: Page, text: string): Promise<void> {
  await page.fill('#text', text);
  await page.click('#pasted button');
}

async function expectVerdict(page: Page, verdict: string, word: string | RegExp): Promise<void> {
  await page.waitForSelector(`dialog.${verdict}[open]`);
  expect(await page.textContent('#word')).toMatch(word);
}

async function expectAccessible(page: Page): Promise<void> {
  // The page's policy refuses foreign scripts; the debugger's evaluation is none.
  await page.evaluate(axeSource);
  const findings = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))');
  expect(findings).toEqual([]);
  for (const { viewport } of [tablet, phone]) {
    await page.setViewportSize(viewport);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
}

async function look(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

async function waitFor(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function picture(text: string): Promise<Buffer> {
  const code = await qrcode.toBuffer(text, { scale: 4, margin: 4, errorCorrectionLevel: 'M' });
  const paper = sharp({ create: { width: 640, height: 480, channels: 3, background: '#fff' } });
  return paper
    .composite([{ input: code, gravity: 'centre' }])
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** A photo of an A4 page, slightly out of focus. @param side of the code with its margin, millimetres */
async function pageAt150Dpi(text: string, side: number): Promise<Buffer> {
  const pixels = (millimetres: number) => Math.round((millimetres / 25.4) * 150);
  const code = await qrcode.toBuffer(text, { scale: 8, margin: 4, errorCorrectionLevel: 'L' });
  const paper = sharp({ create: { width: pixels(210), height: pixels(297), channels: 3, background: '#e6e6e0' } });
  const small = await sharp(code).resize(pixels(side), pixels(side), { kernel: 'lanczos2' }).toBuffer();
  const drawn = await paper
    .composite([{ input: small, left: pixels(20), top: pixels(240) }])
    .png()
    .toBuffer();
  return sharp(drawn).blur(0.5).jpeg({ quality: 85 }).toBuffer();
}

/** A film of one picture, which the browser repeats. */
async function makeFilm(text: string): Promise<string> {
  const frame = await sharp(await picture(text))
    .resize(640, 480, { fit: 'fill' })
    .jpeg({ quality: 95 })
    .toBuffer();
  const path = join(folder, 'film.mjpeg');
  writeFileSync(path, Buffer.concat(Array.from({ length: 30 }, () => frame)));
  return path;
}
