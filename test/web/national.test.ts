import { readFile } from 'node:fs/promises';
import { expectAccessible, useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { certificateFixtures } from '../support/factories/certificates.ts';
import { readZip } from '../support/papers/read-zip.ts';
import { readWorkbook } from '../life/auditor/national/workbook.ts';

/** The lists of national certificates for review, insurer and printer. */
const { api, open, inChromium } = await useDesk();
const make = fixturesOf(api);
const issue = certificateFixtures(api.platform);
const table = 'table[aria-label="National lists"]';

inChromium('a clerk decides a list, and makes the files of the insurer and of the printer', async () => {
  const administrator = await api.administrator();
  const named = (last_name: string) => ({ profile: { data: { last_name, first_name: 'Анна' } } });
  const issued = [await issue(named('Ахметова')), await issue(named('Бекова')), await issue(named('Власова'))];
  const owner = await api.user();
  const submitted = [];
  for (const name of ['Габбасова', 'Досова']) submitted.push((await make.application(owner, { status: 'submitted', ...named(name) })).id);
  const numbers = issued.map(({ number }) => number);
  const listsOf = async () => (await administrator.get('/admin/national')).body.meta.lists;

  const { page, problems, context } = await open('/national', administrator);
  const choose = (name: string) => page.check(`${table} input[aria-label^="${name}"]`);
  const tab = (name: string, count: number) => page.click(`[role=tab]:has-text("${name} (${count})")`);
  // Review: one record changes hands before the decision.
  await page.click('button:has-text("Add those of the year")');
  await page.waitForSelector('[role=tab]:has-text("Review (2)")');
  owner.expect(200, await owner.post(`/applications/${submitted[1]}/cancel`, { reason: 'changed my mind' }));
  await page.click('button:has-text("Return for changes (2)")');
  await page.fill('[role=dialog] [name=note]', 'The discipline is wrong');
  await page.click('[role=dialog] button[type=submit]');
  await page.waitForSelector('[role=status]:has-text("Decided: 1")');
  await page.waitForSelector('[role=status]:has-text("Not decided, still in the list"):has-text("Досова")');
  await tab('Review', 1);
  expect((await administrator.get(`/applications/${submitted[0]}`)).body.data).toMatchObject({
    status: 'changes',
    review_note: 'The discipline is wrong',
  });
  expect((await listsOf()).review).toEqual([submitted[1]]);

  // The insurer: chosen records, one of which does not fit.
  await tab('Insurance', 0);
  for (const name of ['Ахметова', 'Бекова', 'Габбасова']) await choose(name);
  await page.click('button:has-text("Add the chosen (3)")');
  await page.waitForSelector('text=Not added:');
  await page.waitForSelector('main li:has-text("it is not approved, or annulled"):has-text("Габбасова")');
  await page.click('button:has-text("Export (2)")');
  const insurance = await download('Download the file (2)');
  const [sheet] = await readWorkbook(insurance);
  expect(sheet?.rows.slice(1).map(([number, last, first]) => [number, last, first])).toEqual([
    [numbers[0], 'Ахметова', 'Анна'],
    [numbers[1], 'Бекова', 'Анна'],
  ]);
  await page.waitForSelector(`${table} tr:has-text("Ахметова"):has-text("in the list")`);

  // The printer: those of the year, and the file is there after the page was left.
  await tab('Print', 0);
  await page.click('button:has-text("Add those of the year")');
  await api.stopWorkers();
  await page.click('button:has-text("Export (3)")');
  await page.waitForSelector('table[aria-label="Latest files"] td:has-text("0 of 3 done")');
  await page.click('nav a:has-text("Overview")');
  await page.waitForSelector('h1:has-text("Overview")');
  await api.startWorkers();
  await page.click('nav a:has-text("National lists")');
  await tab('Print', 3);
  const print = readZip(await download('Download the file (3)'));
  const [, list = Buffer.alloc(0)] = [...print].find(([name]) => name.endsWith('.xlsx')) ?? [];
  const [cards] = await readWorkbook(list);
  expect(cards?.rows.slice(1).map(([number]) => number)).toEqual(numbers);
  expect([...print.keys()].filter((name) => name.startsWith('foto/'))).toEqual(numbers.map((number) => `foto/${number}.jpg`));

  await expectAccessible(page, 'national-print');

  await page.click('button:has-text("Clear")');
  await page.click('[role=dialog] button[type=submit]');
  await page.waitForSelector('[role=tab]:has-text("Print (0)")');
  expect(await listsOf()).toEqual({ review: [submitted[1]], insurance: issued.slice(0, 2).map((each) => each.applicationId), print: [] });
  expect(problems).toEqual([]);
  await context.close();

  /** The browser's own download of a link, or that of a button. */
  async function download(word: string): Promise<Buffer> {
    const [file] = await Promise.all([page.waitForEvent('download'), page.click(`main :is(a, button):has-text("${word}")`)]);
    return readFile(await file.path());
  }
});
