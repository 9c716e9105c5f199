import { expectAccessible, useDesk } from './use-desk.ts';
import { fixturesOf } from '../support/factories.ts';
import { makeIin } from '../support/identities/iin.ts';

/** What the office changes beside its decisions: each dialog sends what it shows. */
const { api, open, inChromium } = await useDesk();
const make = fixturesOf(api);
const serviceId = 1;

inChromium('a wallet is corrected once, and a wrong password keeps what was typed', async () => {
  const administrator = await api.administrator();
  const owner = await api.user();
  const { page, context } = await open(`/people/${owner.userId}`, administrator);
  await page.click('button:has-text("Correct the balance")');
  await page.fill('[role=dialog] [name=amount]', '1 000,5');
  await page.fill('[role=dialog] [name=reason]', 'A payment in cash');
  await page.fill('[role=dialog] [name=password]', 'not-the-password');
  await page.click('[role=dialog] button[type=submit]');
  await page.waitForSelector('[role=dialog] [role=alert]:has-text("The password is wrong.")');
  expect(await page.inputValue('[role=dialog] [name=amount]')).toBe('1 000,5');
  await page.fill('[role=dialog] [name=password]', administrator.password);
  await page.click('[role=dialog] button[type=submit]');
  await page.waitForSelector('[role=dialog]', { state: 'detached' });
  await page.waitForSelector('h2:has-text("1,000.50")');
  expect((await owner.get('/wallet')).body.data).toMatchObject({ balance_minor: 100_050 });
  await context.close();
});

inChromium('an administrator acts for a person, and returns', async () => {
  const administrator = await api.administrator();
  const owner = await api.user();
  const { page, context } = await open(`/people/${owner.userId}`, administrator);
  await page.click('button:has-text("Act for the owner")');
  await page.fill('[role=dialog] [name=password]', administrator.password);
  await page.click('[role=dialog] button[type=submit]');
  await page.click('button:has-text("Back to my account")');
  await page.waitForSelector('nav');
  expect((await administrator.get(`/admin/audit?action=impersonation.ended`)).body.data).toHaveLength(1);
  await context.close();
});

inChromium(
  'a profile is transferred to the account that its preview names, and a second profile of one athlete is refused (OWN-1, OWN-3)',
  async () => {
    const administrator = await api.administrator();
    const [former, next, double] = [await api.user('Ерлан Асқаров'), await api.user('Дина Асқарова'), await api.user('Ерлан Екінші')];
    const iin = makeIin('1990-05-17', 'male');
    await make.profile(double, { columns: { iin } });
    const { profileId } = await make.application(former, {
      status: 'submitted',
      profile: { data: { last_name: 'Асқаров' }, columns: { iin } },
    });
    const { page, problems, context } = await open(`/people/${former.userId}`, administrator);
    await page.click('section[aria-label^="Athlete: Асқаров"] button[aria-expanded]');
    const target = page.getByRole('searchbox', { name: 'Transfer to another owner' });
    await target.fill(double.email);
    await page.click(`button[aria-pressed]:has-text("${double.email}")`);
    await page.waitForSelector('[role=alert]:has-text("The transfer is not possible")');
    expect(await page.locator('button:has-text("Transfer the profile")').count()).toBe(0);

    await target.fill('Дина');
    await page.click(`button[aria-pressed]:has-text("${next.email}")`);
    await page.waitForSelector(`h3:has-text("${next.email}")`);
    for (const [part, count] of [
      ['Documents', 2],
      ['Applications', 1],
      ['Files', 3],
    ])
      expect(await page.locator('tr', { has: page.locator(`th:text-is("${part}")`) }).textContent()).toBe(`${part}${count}`);
    await page.click('button:has-text("Transfer the profile")');
    await page.fill('[role=dialog] [name=reason]', 'A paper of both of them');
    await page.fill('[role=dialog] [name=password]', administrator.password);
    await page.click('[role=dialog] button[type=submit]');
    await page.waitForSelector('text=No profiles: the owner adds them.');
    expect(next.expect(200, await next.get(`/profiles/${profileId}`)).body.data.documents).toHaveLength(2);
    expect((await former.get(`/profiles/${profileId}`)).status).toBe(404);
    expect(problems).toEqual([]);
    await context.close();
  },
);

inChromium('an erasure is asked for on paper, seen and withdrawn; what prevents one is named (PRV-4)', async () => {
  const administrator = await api.administrator();
  const [person, applicant] = [await api.user('Ерлан Асқаров'), await api.user('Дина Асқарова')];
  await make.profile(person);
  const { id } = await make.application(applicant, { status: 'submitted' });
  const { page, problems, context } = await open(`/people/${applicant.userId}`, administrator);
  const opening = 'section[aria-label="Erasure of an account"] button[aria-expanded]';
  await page.click(opening);
  await page.waitForSelector('[role=alert]:has-text("An application is under way")');
  expect(await page.locator(`[role=alert] a[href$="/records/application/${id}"]`).count()).toBe(1);
  expect(await page.locator('button:has-text("Start the erasure")').count()).toBe(0);

  await page.goto(`${api.url}/desk/people/${person.userId}`);
  await page.click(opening);
  await page.click('button:has-text("Start the erasure")');
  await page.fill('[role=dialog] [name=reason]', 'A paper with the signature of the owner');
  await page.fill('[role=dialog] [name=password]', administrator.password);
  await page.click('[role=dialog] button[type=submit]');
  await page.waitForSelector('th:text-is("To be erased")');
  expect((await person.get('/account/erasure')).body.data).toMatchObject({ status: 'waiting' });
  await expectAccessible(page, 'erasure');
  await page.click('button:has-text("Withdraw the erasure")');
  await page.waitForSelector('button:has-text("Start the erasure")');
  expect((await person.get('/account/erasure')).body.data).toMatchObject({ status: 'none', due_at: null });
  expect(problems).toEqual([]);
  await context.close();
});

inChromium('a service keeps what its form does not change', async () => {
  const administrator = await api.administrator();
  const readService = async () => {
    const { services } = (await administrator.get('/admin/catalog')).body.data;
    const { updated_at: _version, ...service } = services.find(({ id }: { id: number }) => id === serviceId);
    return service;
  };
  const before = await readService();
  const { page, context } = await open('/catalogue', administrator);
  await page.click(`main :is(a, button):text-is("${before.title.en}")`);
  await page.fill('[role=dialog] [name=mrp]', '2.5');
  await page.click('[role=dialog] button[type=submit]');
  await page.waitForSelector('[role=dialog]', { state: 'detached' });
  expect(await readService()).toEqual({ ...before, mrp: 2.5 });
  await context.close();
});
