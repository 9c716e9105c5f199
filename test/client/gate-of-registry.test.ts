import type { Page } from 'playwright-core';
import { buildWeb } from '../../src/tools/web/build.ts';
import { fixturesOf } from '../support/factories.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

/** The page as the registry itself serves it, with a real certificate, its list and its keys. `gate.test.ts` has the page alone. */
const chromium = findChromium();
if (chromium === null) process.stderr.write('Skipped: the test of the registry’s own /gate, which needs Chromium\n');
const inChromium = chromium === null ? test.skip : test;

let api: TestApi;
beforeAll(async () => {
  if (chromium !== null) [api] = await Promise.all([startTestApi(), buildWeb()]);
});
afterAll(() => api?.close());

inChromium('GAT-7: a certificate is checked without a network, and its annulment once there is one', async () => {
  const owner = await api.user();
  const administrator = await api.administrator();
  const { id } = await fixturesOf(api).application(owner, { status: 'approved' });
  await owner.get(`/applications/${id}/certificate`);
  const { url } = owner.expect(200, await owner.get(`/applications/${id}/credential`)).body.data;
  await using browser = await launchChromium(String(chromium));
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text());
  });
  await page.goto(`${api.url}/gate`);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.waitForFunction(() => /\d\d:\d\d/.test(document.getElementById('age')?.textContent ?? ''));
  expect(await check(page, url)).toBe('Valid');

  // The second visit asks the registry whether its files have changed.
  await page.reload();
  expect(await check(page, url)).toBe('Valid');

  await context.setOffline(true);
  await page.reload();
  await page.waitForFunction(() => document.getElementById('age')?.textContent?.includes('No network'));
  const { revision } = (await owner.get(`/applications/${id}`)).body.data;
  const decision = { kind: 'application', id, decision: 'cancel', revision, note: 'Issued by mistake.' };
  administrator.expect(200, await administrator.post('/admin/review', decision));
  expect(await check(page, url)).toBe('Valid');

  await context.setOffline(false);
  for (const until = Date.now() + 60_000; (await check(page, url)) === 'Valid';) {
    if (Date.now() > until) throw new Error('the list has no annulment after a minute');
    await page.click('#refresh');
    await page.waitForTimeout(500);
  }
  expect(await check(page, url)).toBe('Not valid');
  expect(refused).toEqual([]);
});

/** Pastes the text of a QR. @returns the word of the verdict */
async function check(page: Page, text: string): Promise<string | null> {
  await page.fill('#text', text);
  await page.click('#pasted button');
  await page.waitForSelector('dialog[open]');
  const word = await page.textContent('#word');
  await page.click('#next');
  return word;
}
