import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildWeb } from '../../src/tools/web/build.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';
import { useRegistry } from '../support/use-registry.ts';

const chromium = findChromium();
if (chromium === null) process.stderr.write('Skipped: the tests of /docs, which need Chromium (Debian: apt-get install chromium)\n');
const inChromium = chromium === null ? test.skip : test;

const { api } = await useRegistry();
let browser: Browser;
beforeAll(async () => {
  // The page takes its icon from the gate.
  await buildWeb();
  if (chromium !== null) browser = await launchChromium(chromium);
});
afterAll(async () => {
  await browser?.close();
});

const desk = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

interface Visit {
  page: Page;
  /** What the browser refused, could not load or took from elsewhere. */
  troubles: string[];
}

/** @param anchor of an operation: `tag/accounts/DELETE/account/sessions` */
async function visit(options: BrowserContextOptions, cookie: string | null, anchor: string, use: (visit: Visit) => Promise<void>) {
  const context = await browser.newContext(options);
  try {
    if (cookie !== null)
      await context.addCookies(
        cookie.split('; ').map((pair) => {
          const at = pair.indexOf('=');
          return { name: pair.slice(0, at), value: pair.slice(at + 1), url: api.url };
        }),
      );
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => (message.type() === 'error' ? troubles.push(message.text()) : 0));
    page.on('pageerror', ({ message }) => troubles.push(message));
    page.on('request', (request) => (request.url().startsWith(api.url) ? 0 : troubles.push(request.url())));
    await page.goto(`${api.url}/docs#${anchor}`);
    await page.waitForSelector('text=Profiles and documents', { state: 'attached' });
    await use({ page, troubles });
  } finally {
    await context.close();
  }
}

/** Sends the operation in view by its form, and waits until the page shows the status. */
async function tryOut(page: Page, operation: string, { token = '', status }: { token?: string; status: string }) {
  const section = page.locator('section', { has: page.getByRole('heading', { name: operation, exact: true }) }).last();
  await section.getByRole('button', { name: /Test Request/ }).click();
  const form = page.getByRole('dialog');
  if (token !== '') await form.getByPlaceholder('Token').first().fill(token);
  await form.getByRole('button', { name: 'Send' }).first().click();
  await form.getByText(status).first().waitFor();
}

const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

inChromium('shows its groups on a dark phone within its policy and the width of the screen', async () => {
  await visit({ ...phone, colorScheme: 'dark' }, null, '', async ({ page, troubles }) => {
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: /menu/i }).first().click();
    const group = page.getByText('Profiles and documents', { exact: true }).filter({ visible: true }).first();
    await group.waitFor();
    expect((await group.boundingBox())?.y).toBeLessThan(phone.viewport.height);
    expect(await page.getByText('malformed_json').first().isVisible()).toBe(false);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await page.evaluate('document.body.className')).toContain('dark');
    expect(troubles).toEqual([]);
  });
});

inChromium('loads in a second, and tries a change with the cookie of a signed-in reader', async () => {
  const person = await api.user();
  const elsewhere = api.browser();
  await elsewhere.login(person.email, person.password);
  await visit(desk, person.cookie, 'tag/accounts/DELETE/account/sessions', async ({ page, troubles }) => {
    const bytes = await page.evaluate<number>(
      "performance.getEntriesByType('resource').reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)",
    );
    // A second on a line of 8 Mbit/s.
    expect(bytes).toBeLessThan(1_000_000);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await tryOut(page, 'End all browser sessions of the account but this one', { status: '200 OK' });
    // The field of the token, which the page sends by itself, is not empty.
    await page.getByRole('dialog').getByText('filled-in-by-this-page').first().waitFor();
    expect(troubles).toEqual([]);
  });
  expect((await elsewhere.get('/account')).status).toBe(401);
  expect((await person.get('/account')).status).toBe(200);
});

inChromium('tries a request with an API key', async () => {
  const person = await api.user();
  const key = await person.makeKey(['profiles:read']);
  await visit(desk, null, 'tag/profiles-and-documents/GET/profiles', async ({ page, troubles }) => {
    await page.getByText('unauthenticated').filter({ visible: true }).first().waitFor();
    await tryOut(page, 'List all own profiles', { token: key, status: '200 OK' });
    // The page keeps neither keys nor answers.
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(key);
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
    expect(troubles).toEqual([]);
  });
});
