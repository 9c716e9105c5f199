import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildWeb } from '../../src/tools/web/build.ts';
import type { TestClient } from '../support/client.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const chromium = findChromium();
if (chromium === null) process.stderr.write('Skipped: the tests of the desk, which need Chromium\n');

const widths = [1440, 1024, 360];
const wide = { width: 1440, height: 800 };
/** A busy machine takes several times as long. */
const patienceMs = 60_000;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder for pictures that a person looks at; none by default. */
const pictures = process.env['DESK_PICTURES'];

/** A tab of the desk. */
export interface DeskTab {
  page: Page;
  context: BrowserContext;
  /** Errors of the page and refusals of its policy. */
  problems: string[];
  /** Bytes of all answers. */
  received(): Promise<number>;
}

export interface Desk {
  api: TestApi;
  /** Declares a test that needs Chromium. */
  inChromium: jest.It;
  /** Opens an address below `/desk` in a browser of its own; with a client, signs in. */
  open(path?: string, client?: Pick<TestClient, 'email' | 'password'>): Promise<DeskTab>;
}

/** Starts a registry with the desk for a test file; call it once, at the top of the file. @param variables of the registry */
export async function useDesk(variables: Record<string, string> = {}): Promise<Desk> {
  const [api, browser] = await Promise.all([startTestApi(variables), chromium === null ? undefined : launchChromium(chromium), buildWeb()]);
  afterAll(async () => {
    await browser?.close();
    await api.close();
  });
  const open: Desk['open'] = async (path = '', client) => {
    const tab = await openTab(browser, `${api.url}/desk${path}`);
    if (client !== undefined) await signIn(tab.page, client);
    return tab;
  };
  // This module serves several test files, each with globals of its own.
  return { api, open, inChromium: chromium === null ? test.skip : test };
}

async function openTab(browser: Browser | undefined, address: string): Promise<DeskTab> {
  if (browser === undefined) throw new Error('there is no Chromium');
  const context = await browser.newContext({ locale: 'en-GB', viewport: wide });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const problems: string[] = [];
  const finished: Request[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfinished', (request) => finished.push(request));
  await page.goto(address);
  const received = async () => {
    const sizes = await Promise.all(finished.map((request) => request.sizes()));
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  };
  return { page, context, problems, received };
}

export async function signIn(page: Page, { email, password }: Pick<TestClient, 'email' | 'password'>): Promise<void> {
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.click('form:has([name=password]) button[type=submit]');
}

/** No finding of axe in light and dark, nothing wider than the window (WCAG 2.2 AA). */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of widths) {
      await page.setViewportSize({ ...wide, width });
      await page.waitForSelector('main h1');
      // The page's policy refuses foreign scripts; the debugger's evaluation is none.
      await page.evaluate(axeSource);
      const findings = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))');
      expect({ name, colorScheme, width, findings }).toEqual({ name, colorScheme, width, findings: [] });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) });
    }
  }
  await page.setViewportSize(wide);
}
