import { useDesk } from './use-desk.ts';
import { waitFor } from '../support/wait-for.ts';
import type { TestClient } from '../support/client.ts';

/** Chats of people with the office, live. */
const { api, open, inChromium } = await useDesk();
const chats = 'nav[aria-label=Chats] a';
const log = '[role=log]';

inChromium('messages of people arrive in the open dialog and in the list, unread first, and the answer reaches the person', async () => {
  const administrator = await api.administrator();
  const [asking, waiting, answered] = [await api.user('Асқар'), await api.user('Болат'), await api.user('Гүлнар')];
  const write = async (person: TestClient, message: string) => person.expect(201, await person.post('/chat/messages', { message }));
  await write(waiting, 'Когда старт?');
  await write(asking, 'Здравствуйте!');
  await write(answered, 'Спасибо!');
  const { id } = (await administrator.get(`/admin/chats/${answered.userId}`)).body.data.messages[0];
  administrator.expect(200, await administrator.post(`/admin/chats/${answered.userId}/read`, { up_to_id: id }));

  const { page, problems, context } = await open('/chats', administrator);
  await page.waitForSelector(chats);
  // The newest is read already, so that it comes last.
  const listed = ['Асқар', 'Болат', 'Гүлнар'].map((name) => expect.stringContaining(name));
  expect(await page.locator(chats).allTextContents()).toEqual(listed);
  await page.click(`${chats}:has-text("Асқар")`);
  await page.waitForSelector(`${log}:has-text("Здравствуйте!")`);
  await page.waitForSelector(`${chats}:has-text("Асқар"):not(:has([aria-label="Unread: 1"]))`);
  await page.evaluate(() => document.body.setAttribute('data-kept', ''));

  await write(asking, 'Примете ли вы справку?');
  await page.waitForSelector(`${log}:has-text("Примете ли вы справку?")`);
  await write(waiting, 'Ответьте, пожалуйста');
  await page.waitForSelector(`${chats}:first-child:has-text("Болат"):has([aria-label="Unread: 2"])`);
  // What is open is read for all administrators.
  const unreadOf = async () => (await administrator.get(`/admin/chats/${asking.userId}`)).body.data.unread;
  await waitFor(unreadOf, (unread) => unread === 0, 'the open chat to be read');

  await page.fill('textarea', 'Да,');
  await page.press('textarea', 'Shift+Enter');
  await page.keyboard.type('примем.');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${log}:has-text("примем.")`);
  expect(await page.inputValue('textarea')).toBe('');
  const { messages } = asking.expect(200, await asking.get('/chat')).body.data;
  expect(messages.map(({ message }: { message: string }) => message)).toContain('Да,\nпримем.');
  expect(await page.locator('[data-kept]').count()).toBe(1);
  expect(problems).toEqual([]);
  await context.close();
});
