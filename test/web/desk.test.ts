import { expectAccessible, signIn, useDesk } from './use-desk.ts';

/** The desk as the registry serves it. */
const mostOfFirstPage = 300 * 1024;
const { api, open, inChromium } = await useDesk();

test('each address of the desk is the page with a nonce of its own; its files are kept for a year', async () => {
  const pages = await Promise.all(['/desk', '/desk/records/application/1'].map((path) => fetch(api.url + path)));
  const nonces = pages.map(({ headers }) => /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]);
  expect(new Set(nonces).size).toBe(2);
  const [text = ''] = await Promise.all(pages.map((page) => page.text()));
  expect(text).toContain(`nonce="${nonces[0]}"`);
  const [script = ''] = /\/web\/[\w-]+\.js/.exec(text) ?? [];
  const asset = await fetch(api.url + script);
  expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  expect((await fetch(`${api.url}/web/unknown.js`)).status).toBe(404);
});

inChromium('an administrator signs in, and reads the overview in 300 KB', async () => {
  const administrator = await api.administrator();
  const { page, problems, received } = await open();
  await signIn(page, { email: administrator.email, password: 'not-the-password' });
  await page.waitForSelector('[role=alert]');
  expect(await page.textContent('[role=alert]')).toContain('The e-mail or the password is wrong.');
  await expectAccessible(page, 'refused');

  await signIn(page, administrator);
  await page.waitForSelector('h1:has-text("Overview")');
  expect(await page.textContent('main')).toContain('Contact message0');
  await expectAccessible(page, 'overview');
  expect(await received()).toBeLessThan(mostOfFirstPage);
  expect(problems).toEqual([]);
});

inChromium('an account that is no administrator reads why the desk is closed', async () => {
  const person = await api.user();
  const { page } = await open('', person);
  await page.waitForSelector('text=The desk is open to administrators only.');
  await page.click('button:has-text("Sign out")');
  await page.waitForSelector('[name=password]');
});

inChromium('a page stays open below the sign-in when its session ends', async () => {
  const administrator = await api.anotherAdministrator();
  const { page } = await open('', administrator);
  await page.waitForSelector('h1:has-text("Overview")');
  await api.sql('delete from sessions where user_id = $1', [administrator.userId]);
  await page.click('button:has-text("Refresh")');
  await page.waitForSelector('[role=dialog] [name=password]');
  expect(await page.isVisible('h1:has-text("Overview")')).toBe(true);
  await signIn(page, administrator);
  await page.waitForSelector('[role=dialog]', { state: 'detached' });
});
