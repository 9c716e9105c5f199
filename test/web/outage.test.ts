import { CuttableWay } from '../life/outages.ts';
import { useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { temporalAddress } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';

/** Temporal goes away: the desk reads on, a decision says why it is refused, and the note is there when Temporal is back. */
const way = await CuttableWay.open(await temporalAddress());
const { api, open, inChromium } = await useDesk({ TEMPORAL_ADDRESS: way.address });
afterAll(() => way.close());

inChromium('while Temporal is away, the desk reads, refuses a decision in words, and keeps its note', async () => {
  const note = 'The scan cannot be read';
  const administrator = await api.administrator();
  const owner = await api.user();
  const make = fixturesOf(api);
  const application = await make.application(owner, { status: 'submitted' });
  const { page, context } = await open(`/records/application/${application.id}`, administrator);
  await page.waitForSelector('h2:has-text("Decision")');
  await way.cutDuring(async () => {
    await page.fill('textarea', note);
    await page.click('button:has-text("Return for changes")');
    await page.waitForSelector('[role=alert]:has-text("Processes are unavailable")');
    await page.click('nav a:has-text("Processes")');
    await page.waitForSelector('h1:has-text("Processes")');
    await page.waitForSelector('main td:has-text("Application")');
    await page.goBack();
    await page.waitForFunction((text) => document.querySelector('textarea')?.value === text, note);
  });
  // Connections are made again within seconds; until then it is refused again. A decision under way has a busy button, then none.
  const button = 'button:has-text("Return for changes"):enabled';
  const decided = await waitFor(
    async () => {
      if ((await page.locator(button).count()) > 0) await page.click(button, { timeout: 2_000 }).catch(() => undefined);
      return (await administrator.get(`/applications/${application.id}`)).body.data;
    },
    ({ status }) => status === 'changes',
    'the decision to be taken',
  );
  expect(decided.review_note).toBe(note);
  await context.close();
});
