import type { Browser, Page } from 'playwright-core';
import { buildWeb } from '../../src/tools/web/build.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

/** The desk as the registry serves it. */
const chromium = findChromium();
if (chromium === null) process.stderr.write('Skipped: the test of the desk, which needs Chromium\n');
const inChromium = chromium === null ? test.skip : test;

let api: TestApi;
let browser: Browser;
beforeAll(async () => {
  if (chromium === null) return;
  [api, browser] = await Promise.all([startTestApi(), launchChromium(chromium), buildWeb()]);
});
afterAll(async () => {
  await browser?.close();
  await api?.close();
});

inChromium('an administrator signs in and reads the overview; nothing breaks the policy of the page', async () => {
  const administrator = await api.administrator();
  const { page, refused } = await open();
  await page.fill('[name=email]', administrator.email);
  await page.fill('[name=password]', 'not-the-password');
  await page.click('button[type=submit]');
  await page.waitForSelector('[role=alert]');
  expect(await page.textContent('[role=alert]')).toContain('The e-mail or the password is wrong.');

  await page.fill('[name=password]', administrator.password);
  await page.click('button[type=submit]');
  await page.waitForSelector('h1:has-text("Overview")');
  expect(await page.textContent('main')).toContain('The queue is empty.');
  expect(refused).toEqual([]);
});

async function open(): Promise<{ page: Page; refused: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text());
  });
  page.on('pageerror', (error) => refused.push(String(error)));
  await page.goto(`${api.url}/desk`);
  return { page, refused };
}
