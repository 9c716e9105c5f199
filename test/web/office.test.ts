import { useDesk } from './use-desk.ts';

/** What the office changes beside its decisions: each dialog sends what it shows. */
const { api, open, inChromium } = await useDesk();
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
