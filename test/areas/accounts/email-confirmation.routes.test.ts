import type { TestClient } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { mailsTo, requestRecovery, waitForTokens } from './account-mails.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, audit } = await useRegistry();

let people = 0;

/** Registers by HTTP, as a person does: the address is not confirmed. */
async function registered(): Promise<TestClient> {
  people += 1;
  const client = api.browser();
  await client.register(`unconfirmed${people}@example.kz`, 'Арман');
  return client;
}
async function browser(): Promise<TestClient> {
  const client = api.browser();
  await client.session();
  return client;
}
const tokensTo = ({ email }: TestClient, count: number) => waitForTokens(api, email, 'confirm-email', count);
const isConfirmed = async (client: TestClient): Promise<boolean> =>
  client.expect(200, await client.get('/account')).body.data.user.email_confirmed;
const confirm = (client: TestClient, token: string | undefined) => client.post('/auth/confirm-email', { token });
const actionsOf = async ({ userId }: TestClient) => (await audit('user', userId)).map(({ action }) => action);

test('registration mails a link; its page changes nothing, its use confirms the address once (ACC-24)', async () => {
  const person = await registered();
  expect(await isConfirmed(person)).toBe(false);
  const [token] = await tokensTo(person, 1);
  const page = await api.browser().get(`/confirm-email?token=${token}&lang=ru`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await isConfirmed(person)).toBe(false);
  // The link may be opened in another browser.
  const other = await browser();
  expect(other.expect(200, await confirm(other, token)).body.data).toEqual({ email_confirmed: true });
  expect(await isConfirmed(person)).toBe(true);
  const again = await confirm(other, token);
  expect([again.status, again.body.error.code]).toEqual([422, 'token_invalid']);
  expect(await actionsOf(person)).toEqual(['account.registered', 'email_confirmation.requested', 'account.email_confirmed']);
  const further = await person.post('/account/email-confirmation');
  expect([further.status, further.body.error.code]).toEqual([409, 'invalid_state']);
});

test('of twenty uses at once one succeeds (ACC-24)', async () => {
  const person = await registered();
  const [token] = await tokensTo(person, 1);
  const client = await browser();
  const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(client, token)));
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
  expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 422)]);
  expect((await actionsOf(person)).filter((action) => action === 'account.email_confirmed')).toHaveLength(1);
});

test('a newer link replaces the older one; an account gets three more an hour (ACC-24)', async () => {
  const person = await registered();
  const answers = [];
  for (let asked = 0; asked < 4; asked += 1) answers.push(await person.post('/account/email-confirmation'));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
  const tokens = await tokensTo(person, 4);
  expect(tokens).toHaveLength(4);
  // The refused request left the last link in force. Mails that are sent at once may arrive in any order.
  const statuses = [];
  for (const token of tokens) statuses.push((await confirm(person, token)).status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 422, 422, 422]);
  expect(await isConfirmed(person)).toBe(true);
});

test('an expired link is refused, also before its timer runs (ACC-24)', async () => {
  const person = await registered();
  const [token] = await tokensTo(person, 1);
  await api.sql(`update email_confirmations set expires_at = now() - interval '1 second' where user_id = $1`, [person.userId]);
  expect((await confirm(person, token)).status).toBe(422);
  expect(await isConfirmed(person)).toBe(false);
});

test('a recovery link that was used confirms the address; until then nothing else is mailed (ACC-23)', async () => {
  const person = await registered();
  person.expect(
    201,
    await person.post('/api-keys', { name: 'k', scopes: ['files:read'], expires_at: inAYear(), password: person.password }),
  );
  await requestRecovery(api, person.email);
  const [token] = await waitForTokens(api, person.email, 'reset');
  // Besides these two, the mail about the new key would be here.
  expect(await mailsTo(api, person.email)).toHaveLength(2);
  const client = await browser();
  client.expect(200, await client.post('/auth/reset', { token, password: 'a-quite-different-secret' }));
  await person.login(person.email, 'a-quite-different-secret');
  expect(await isConfirmed(person)).toBe(true);
  const mails = () => mailsTo(api, person.email);
  expect(await waitFor(mails, (sent) => sent.length > 2, 'the mail about the new password')).toHaveLength(3);
});

test('an unknown link is refused; an account of an administrator counts as confirmed', async () => {
  const unknown = await confirm(await registered(), 'x'.repeat(43));
  expect([unknown.status, unknown.body.error.code]).toEqual([422, 'token_invalid']);
  expect(await isConfirmed(await api.administrator())).toBe(true);
});

const inAYear = () => new Date(Date.now() + 300 * 86_400_000).toISOString();
