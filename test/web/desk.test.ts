import type { Browser, Page } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildWeb } from '../../src/tools/web/build.ts';
import type { TestClient } from '../support/client.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

/** The desk as the registry serves it. */
const chromium = findChromium();
if (chromium === null) process.stderr.write('Skipped: the test of the desk, which needs Chromium\n');
const inChromium = chromium === null ? test.skip : test;

const mostOfFirstPage = 300 * 1024;
const widths = [1440, 1024, 360];
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder for pictures that a person looks at; none by default. */
const pictures = process.env['DESK_PICTURES'];

let api: TestApi;
let browser: Browser | undefined;
beforeAll(async () => {
  [api, browser] = await Promise.all([startTestApi(), chromium === null ? undefined : launchChromium(chromium), buildWeb()]);
});
afterAll(async () => {
  await browser?.close();
  await api?.close();
});

test('each address of the desk is the page with a nonce of its own; its files are kept for a year', async () => {
  const pages = await Promise.all(['/desk', '/desk/records/application/1'].map((path) => fetch(api.url + path)));
  const nonces = pages.map(({ headers }) => /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]);
  expect(new Set(nonces).size).toBe(2);
  const [text = ''] = await Promise.all(pages.map((page) => page.text()));
  expect(text).toContain(`nonce="${nonces[0]}"`);
  const [script = ''] = /\/web\/[\w-]+\.js/.exec(text) ?? [];
  const asset = await fetch(api.url + script);
  expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  expect((await fetch(`${api.url}/web/unknown.js`)).status).toBe(404);
});

inChromium('an administrator signs in, and reads the overview in 300 KB', async () => {
  const administrator = await api.administrator();
  const { page, problems, received } = await open();
  await signIn(page, { email: administrator.email, password: 'not-the-password' });
  await page.waitForSelector('[role=alert]');
  expect(await page.textContent('[role=alert]')).toContain('The e-mail or the password is wrong.');
  await expectAccessible(page, 'refused');

  await signIn(page, administrator);
  await page.waitForSelector('h1:has-text("Overview")');
  expect(await page.textContent('main')).toContain('The queue is empty.');
  await expectAccessible(page, 'overview');
  expect(received()).toBeLessThan(mostOfFirstPage);
  expect(problems).toEqual([]);
});

inChromium('an account that is no administrator reads why the desk is closed', async () => {
  const person = await api.user();
  const { page } = await open();
  await signIn(page, person);
  await page.waitForSelector('text=The desk is open to administrators only.');
  await page.click('button:has-text("Sign out")');
  await page.waitForSelector('[name=password]');
});

inChromium('a page stays open below the sign-in when its session ends', async () => {
  const administrator = await api.anotherAdministrator();
  const { page } = await open();
  await signIn(page, administrator);
  await page.waitForSelector('h1:has-text("Overview")');
  await api.sql('delete from sessions where user_id = $1', [administrator.userId]);
  await page.click('button:has-text("Refresh")');
  await page.waitForSelector('[role=dialog] [name=password]');
  expect(await page.isVisible('h1:has-text("Overview")')).toBe(true);
  await signIn(page, administrator);
  await page.waitForSelector('[role=dialog]', { state: 'detached' });
});

async function open(): Promise<{ page: Page; problems: string[]; received(): number }> {
  if (browser === undefined) throw new Error('there is no Chromium');
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  const problems: string[] = [];
  let bytes = 0;
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfinished', async (request) => {
    bytes += (await request.sizes()).responseBodySize;
  });
  await page.goto(`${api.url}/desk`);
  return { page, problems, received: () => bytes };
}

async function signIn(page: Page, { email, password }: Pick<TestClient, 'email' | 'password'>): Promise<void> {
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.click('button[type=submit]');
}

/** No finding of axe in light and dark, nothing wider than the window (WCAG 2.2 AA). */
async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      // The page's policy refuses foreign scripts; the debugger's evaluation is none.
      await page.evaluate(axeSource);
      const findings = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))');
      expect({ name, colorScheme, width, findings }).toEqual({ name, colorScheme, width, findings: [] });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) });
    }
  }
}
