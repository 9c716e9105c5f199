import { Client as PgClient } from 'pg';
import type { Answer, TestClient } from '../../support/client.ts';
import { totpCode } from '../../support/identities/totp.ts';
import { startTestMessenger } from '../../support/identities/telephones.ts';
import { codeOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';
import { waitForLock } from '../../support/wait-for.ts';
import { requestRecovery, waitForTokens } from './account-mails.ts';

const messenger = await startTestMessenger();
const { api } = await useRegistry(messenger.variables);

afterAll(() => messenger.close());

const recovered = 'a-quite-different-secret';
const hook = { url: 'https://club.example.kz/hooks/registry', types: ['registry.profile.*'] };
const newKey = { name: 'Site', scopes: ['profiles:read'], expires_at: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) };

interface Late {
  /** Makes what the request needs. */
  prepare?(person: TestClient): Promise<string>;
  send(person: TestClient, prepared: string): Promise<Answer>;
  /** Selects the access that the request would leave to the account `$1`. */
  left: string;
  /** The row for which first the reset and then the request wait. */
  row?: string;
}

const enabledWebhooks = "select id from webhooks where user_id = $1 and status = 'enabled'";

const late: Record<string, Late> = {
  'a new API key': {
    send: (person) => person.post('/api-keys', { ...newKey, password: person.password }),
    left: 'select id from api_keys where user_id = $1 and revoked_at is null',
  },
  'a new webhook': {
    send: (person) => person.post('/webhooks', { ...hook, password: person.password }),
    left: enabledWebhooks,
  },
  'another address of a webhook': {
    prepare: async (person) => {
      const { id } = person.expect(201, await person.post('/webhooks', { ...hook, password: person.password })).body.data;
      person.expect(200, await person.patch(`/webhooks/${id}`, { enabled: false }));
      return `/webhooks/${id}`;
    },
    send: (person, path) => person.patch(path, { url: `${hook.url}/other`, enabled: true, password: person.password }),
    left: enabledWebhooks,
    row: 'select from webhooks where user_id = $1 for update',
  },
  'another password': {
    send: (person) => person.post('/auth/password', { current_password: person.password, password: 'the-password-of-a-thief' }),
    left: 'select id from sessions where user_id = $1',
  },
  'a second factor that waits for its code': {
    send: (person) => person.post('/account/second-factor', { password: person.password }),
    left: 'select user_id from second_factors where user_id = $1',
  },
  'a confirmed second factor': {
    prepare: async (person) =>
      person.expect(200, await person.post('/account/second-factor', { password: person.password })).body.data.secret,
    send: (person, secret) => person.post('/account/second-factor/confirm', { code: totpCode(secret) }),
    left: 'select id from users where id = $1 and second_factor',
  },
  'a link with the bot': {
    send: (person) => person.post('/messaging-bot'),
    left: 'select state from bot_links where user_id = $1',
  },
};

/** Starts a reset and then a request, which both wait for a row, and lets them go on in this order. */
async function sendBehindReset(person: TestClient, row: string, send: () => Promise<Answer>): Promise<Answer> {
  await requestRecovery(api, person.email);
  const [token] = await waitForTokens(api, person.email, 'reset');
  const visitor = api.browser();
  await visitor.session();
  const client = new PgClient({ connectionString: api.surroundings.database.ownerUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(row, [person.userId]);
    const reset = visitor.post('/auth/reset', { token, password: recovered });
    await waitForLock(api);
    const answer = send();
    await waitForLock(api, 2);
    await client.query('commit');
    visitor.expect(200, await reset);
    return await answer;
  } finally {
    await client.end();
  }
}

test.each(Object.entries(late))(
  '%s is refused when a new password ends the session before its commit (ACC-18)',
  async (_name, { prepare, send, left, row = 'select from users where id = $1 for update' }) => {
    const person = await api.user();
    const prepared = (await prepare?.(person)) ?? '';
    expect(codeOf(await sendBehindReset(person, row, () => send(person, prepared)))).toBe('401 unauthenticated');
    expect(await api.sql(left, [person.userId])).toEqual([]);
    const holder = api.browser();
    await holder.login(person.email, recovered);
  },
);
