import { databaseOf } from '../../src/platform/database/database.ts';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { insertDocuments } from '../support/factories/rows.ts';
import { poison } from '../support/factories/poison.ts';
import { waitFor } from '../support/wait-for.ts';

/** Processes that an administrator repairs. Expired documents are stuck here, as no sweeper has run them; each retry runs its workflow. */
const { api, open, inChromium } = await useDesk();
const make = fixturesOf(api);
const reason = 'The worker is back';
const patience = { timeout: 180_000 };

inChromium('two hundred stuck processes are retried at once, with the outcome of each (ADM-4)', async () => {
  const administrator = await api.administrator();
  const owner = await api.user();
  const profileId = await make.profile(owner);
  const row = {
    profileId,
    fileId: await make.file(owner, 'scan'),
    type: 'medical',
    status: 'approved',
    expiresAt: '2026-01-10',
  } as const;
  const db = databaseOf(api.platform.orm.em.fork());
  const ids = await insertDocuments(
    db,
    Array.from({ length: 200 }, () => row),
    new Date('2026-01-01T00:00:00Z'),
  );
  const poisoned = ids.slice(0, 2);
  const settled = ids.slice(2, 5);
  const cure = await poison(api, 'documents', `new.id <= ${poisoned[1]} and new.status = 'expired'`);
  // These have a workflow, which cannot go on.
  for (const id of poisoned) await api.platform.processes.wake({ process: processRef('document', id), requestId: 'poison' });
  const stuck = async (query: string) => (await administrator.get(`/admin/processes?state=stuck${query}`)).body;
  const isShown = ({ data }: { data: { waiting_for: string }[] }) => data.filter((each) => each.waiting_for === 'support').length === 2;
  await waitFor(() => stuck('&limit=100'), isShown, 'the poisoned processes to wait for support');

  const { page, problems, context } = await open('/processes?state=stuck', administrator);
  await page.click('button:has-text("Select the first 200")');
  await page.waitForSelector('button:has-text("Retry the step: 200")');
  // Another administrator is faster with some of them.
  for (const id of settled)
    administrator.expect(200, await administrator.post(`/admin/processes/document/${id}/actions`, { action: 'retry', reason }));
  await page.click('button:has-text("Retry the step: 200")');
  await page.fill('[role=dialog] [name=reason]', reason);
  await page.click('[role=dialog] button[type=submit]');

  // The page is not left by mistake meanwhile.
  const asked = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.message());
      void dialog.dismiss();
    });
  });
  await page.click('nav a:has-text("Queue")');
  expect(await asked).toContain('Not all requests are sent.');
  await page.waitForSelector('[role=status]:has-text("200 of 200 done")', patience);
  const outcomes = page.locator('table[aria-label="Retry the step"] tbody tr');
  expect(await outcomes.count()).toBe(200);
  expect(await outcomes.filter({ hasText: 'Done' }).filter({ hasText: 'Over' }).count()).toBe(195);
  const outcomeOf = (id: number) => outcomes.filter({ has: page.locator(`a[href$="/document/${id}"]`) });
  for (const id of settled) expect(await outcomeOf(id).textContent()).toContain('“Over” allows: none');
  for (const id of poisoned) expect(await outcomeOf(id).textContent()).toContain('A part of the system is unavailable');
  await page.waitForFunction(() => document.querySelectorAll('table[aria-label=Processes] tbody tr').length === 2);

  await cure();
  for (const id of poisoned) {
    await outcomeOf(id).locator('button').click();
    await outcomeOf(id).filter({ hasText: 'Done' }).waitFor();
  }
  await page.waitForSelector('text=There are no such processes.');
  expect((await stuck('')).meta.total).toBe(0);
  expect(await api.sql('select status, count(*)::int as count from documents group by status')).toEqual([
    { status: 'expired', count: 200 },
  ]);
  // Refused requests of settled processes are not recorded, those of poisoned ones are.
  expect((await administrator.get('/admin/processes/actions')).body.meta.total).toBe(195 + settled.length + 2 * poisoned.length);
  expect(problems).toEqual([]);
  await context.close();
});
