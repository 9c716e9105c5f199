import type { Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { readWorkbook } from '../life/auditor/national/workbook.ts';

/** What was done, as the office reads it. */
const { api, open, inChromium } = await useDesk();
const make = fixturesOf(api);
const rows = 'table[aria-label=Audit] tbody tr';

inChromium('an act for a person shows both accounts; filters find it, and the files hold what the list shows', async () => {
  const administrator = await api.administrator();
  const clerk = await api.anotherAdministrator('Клара Бек');
  const person = await api.user('Дәурен Қали');
  const profileId = await make.profile(person);
  clerk.csrf = clerk.expect(
    200,
    await clerk.post('/admin/impersonate', { user_id: person.userId, password: clerk.password }),
  ).body.data.csrf_token;
  clerk.expect(200, await clerk.patch(`/profiles/${profileId}`, { data: { city: 'Шымкент' } }));
  const { request_id: requestId } = clerk.expect(200, await clerk.post(`/profiles/${profileId}/submit`)).body;
  await api.browser().session();

  const { page, problems, context } = await open('/audit', administrator);
  await filter(page, 'Account number', String(clerk.userId));
  await page.waitForFunction(() => location.search.includes('actor_id='));
  await filter(page, 'Record or its kind', `profile/${profileId}`);
  await page.waitForFunction((selector) => document.querySelectorAll(selector).length === 2, rows);
  await filter(page, 'Action', 'profile.submitted');
  await page.waitForFunction((selector) => document.querySelectorAll(selector).length === 1, rows);
  expect(await page.textContent(rows)).toContain('Клара Бекacting for:Дәурен Қали');
  await page.click(`${rows} button`);
  const dialog = page.locator('[role=dialog]');
  expect(await dialog.textContent()).toMatch(/Клара Бек\s*acting for:\s*Дәурен Қали/);
  expect(await dialog.textContent()).toContain(requestId);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  // The action is let go; the account, the record and the days stay.
  await filter(page, 'Action', '');
  // Both days are left before the page is drawn again, as on a slow computer.
  await page.evaluate(() => {
    const fields = document.querySelectorAll<HTMLInputElement>('input[type=date]');
    for (const [index, field] of fields.entries()) field.value = index === 0 ? '2026-01-01' : '2099-12-31';
    for (const field of fields) field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  });
  await page.waitForURL((url) =>
    url.search.endsWith(`?actor_id=${clerk.userId}&subject=profile%2F${profileId}&from=2026-01-01&to=2099-12-31`),
  );
  await page.waitForFunction((selector) => document.querySelectorAll(selector).length === 2, rows);
  const { data: listed } = administrator.expect(
    200,
    await administrator.get(`/admin/audit?actor_id=${clerk.userId}&subject=profile/${profileId}`),
  ).body;
  expect(listed.map(({ action }: { action: string }) => action)).toEqual(['profile.submitted', 'profile.updated']);
  const [sheet] = await readWorkbook(await download(page, 'Download XLSX'));
  const [titles = [], ...events] = sheet?.rows ?? [];
  const cells = (row: (string | null)[]) => Object.fromEntries(titles.map((title, index) => [title ?? '', row[index]]));
  expect(events.map(cells)).toMatchObject(
    listed.map(({ id, action }: { id: number; action: string }) => ({
      id: String(id),
      action,
      actor_id: String(clerk.userId),
      actor_name: 'Клара Бек',
      impersonated_user_id: String(person.userId),
      impersonated_user_name: 'Дәурен Қали',
    })),
  );
  const lines = (await download(page, 'Download CSV')).toString().trimEnd().split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain(`,profile.submitted,${clerk.userId},Клара Бек,${person.userId},Дәурен Қали,`);

  // A refusal, which is kept apart.
  await page.goto(`${api.url}/desk/audit?category=security`);
  await page.waitForSelector('text=There are no such events.');
  const { email } = person;
  const stranger = api.browser();
  await stranger.session();
  expect((await stranger.post('/auth/login', { email, password: 'not-the-password' })).status).toBe(401);
  await page.reload();
  await page.waitForSelector(`${rows}:has-text("login.failed"):has-text("the registry or a guest")`);
  expect(problems).toEqual([]);
  await context.close();
});

async function filter(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole('searchbox', { name: label }).fill(value);
}

async function download(page: Page, button: string): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(`button:has-text("${button}")`)]);
  return readFile(await file.path());
}
