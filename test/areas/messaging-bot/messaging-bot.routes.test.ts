import { inspect } from 'node:util';
import { clearBotData } from '../../../src/areas/messaging-bot/index.ts';
import { writeToChat } from '../../../src/areas/messaging-bot/write-to-chat.ts';
import { botChannel } from '../../../src/areas/notifications/index.ts';
import { type Bot, BotBlockedError } from '../../../src/platform/bot/bot.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { TestClient } from '../../support/client.ts';
import { fixturesIn } from '../../support/factories.ts';
import { botSecret, botToken, startTestMessenger, type Telephone } from '../../support/identities/telephones.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const messenger = await startTestMessenger();
const { api, make, audit } = await useRegistry(messenger.variables);
beforeAll(async () => {
  await waitFor(messenger.look, ({ commands }) => commands['en'] !== undefined, 'the bot to be introduced');
});
afterAll(() => messenger.close());

const auditOf = async ({ userId }: TestClient) =>
  (await audit('user', userId)).flatMap(({ action, actor_id, data }) =>
    action.startsWith('messaging_bot.') ? [{ action: action.replace('messaging_bot.', ''), actor_id, data }] : [],
  );
const actionsOf = async (person: TestClient) => (await auditOf(person)).map(({ action }) => action);
const notificationsOf = ({ userId }: TestClient) =>
  api.sql<{ facts: Record<string, unknown> }>(
    `select facts from notifications where user_id = $1 and type = 'bot.disconnected' order by id`,
    [userId],
  );
const stateOf = async (person: TestClient) => person.expect(200, await person.get('/messaging-bot')).body.data;
const disconnected = { state: 'disconnected', connected_at: null, expires_at: null };

async function tokenFor(person: TestClient): Promise<string> {
  const { url } = person.expect(201, await person.post('/messaging-bot')).body.data;
  return new URL(url).searchParams.get('start') ?? '';
}

/** A person whose account is linked with a phone. */
async function linked(language = 'ru'): Promise<{ person: TestClient; phone: Telephone }> {
  const [person, phone] = await Promise.all([api.user(), messenger.telephone(language)]);
  await phone.ask(`/start ${await tokenFor(person)}`);
  expect((await stateOf(person)).state).toBe('connected');
  return { person, phone };
}

/** Sends a fact into the chat of an account, as notifications go out. */
function send(person: TestClient): Promise<'sent' | 'not_linked'> {
  const [channel] = api.platform.extensions.of(botChannel);
  if (!channel) throw new Error('no channel was made');
  return channel.send(api.platform, person.userId, { title: 'A title <b>&', link: 'http://localhost:8080', requestId: 'test' });
}

let updates = 1;
/** An update that no simulator sends: its numbers lie below those of the simulator. */
function updateOf(chatId: number, text: string): Record<string, unknown> {
  updates += 1;
  return { update_id: updates, message: { message_id: 1, date: 1, chat: { id: chatId, type: 'private' }, from: { id: chatId }, text } };
}
/** The platform's update for a bot that was blocked in a chat. */
const kickedOf = (chatId: number) => ({
  update_id: Number(updateOf(chatId, 'x')['update_id']),
  my_chat_member: { chat: { id: chatId, type: 'private' }, new_chat_member: { status: 'kicked' } },
});
const deliver = (body: unknown, headers: Record<string, string> = { 'x-telegram-bot-api-secret-token': botSecret }) =>
  api.browser().post('/messaging-bot/webhook', body, headers);

async function moveClock(minutes: number): Promise<void> {
  const browser = api.browser();
  const { now } = browser.expect(200, await browser.get('/sandbox/clock')).body.data;
  // The clock answers whole seconds, so one more second passes the instant for certain.
  const target = new Date(Date.parse(now) + minutes * 60_000 + 1_000);
  browser.expect(200, await browser.put('/sandbox/clock', { now: target.toISOString() }));
}

describe('the link of an account', () => {
  test('is made on the site, used in the messenger once, and ended on the site', async () => {
    const [person, phone] = await Promise.all([api.user(), messenger.telephone()]);
    expect(await stateOf(person)).toEqual(disconnected);
    const issued = person.expect(201, await person.post('/messaging-bot'));
    expect(issued.headers.get('location')).toBe('/api/v1/messaging-bot');
    const { state, url, expires_at: expiresAt } = issued.body.data;
    expect(state).toBe('pending');
    expect(url).toMatch(/^https:\/\/t\.me\/registry_test_bot\?start=[\w-]{32}$/);
    expect(await stateOf(person)).toEqual({ state: 'pending', connected_at: null, expires_at: expiresAt });
    const token = new URL(url).searchParams.get('start') ?? '';
    const kept = await api.sql<{ token_hash: string }>('select token_hash from bot_links where user_id = $1', [person.userId]);
    expect(kept[0]?.token_hash).toMatch(/^[0-9a-f]{64}$/);

    const welcome = await phone.ask(`/start ${token}`);
    expect(welcome).toContain('Чат подключён');
    for (const command of ['/missing', '/balance', '/certificates', '/stop', '/help']) expect(welcome).toContain(command);
    expect(await stateOf(person)).toEqual({
      state: 'connected',
      connected_at: expect.stringMatching(/\+05:00$/),
      expires_at: null,
    });
    const again = await person.post('/messaging-bot');
    expect([again.status, again.body.error.code]).toEqual([409, 'messaging_bot_connected']);

    expect(person.expect(200, await person.delete('/messaging-bot')).body.data).toEqual({ deleted: true });
    expect(await stateOf(person)).toEqual(disconnected);
    expect(await phone.awaitHeard(2)).toBe('Чат отключён на сайте.');
    person.expect(200, await person.delete('/messaging-bot'));
    expect(await auditOf(person)).toEqual([
      { action: 'link_issued', actor_id: person.userId, data: {} },
      { action: 'connected', actor_id: person.userId, data: {} },
      { action: 'disconnected', actor_id: person.userId, data: { by: 'site' } },
    ]);
    // A person who ends the link gets no notification.
    expect(await notificationsOf(person)).toEqual([]);
  });

  test('a waiting link is ended by DELETE', async () => {
    const [person, phone] = await Promise.all([api.user(), messenger.telephone()]);
    const token = await tokenFor(person);
    person.expect(200, await person.delete('/messaging-bot'));
    expect(await phone.ask(`/start ${token}`)).toContain('не подходит');
    expect(await actionsOf(person)).toEqual(['link_issued', 'link_withdrawn']);
  });

  test('a used, an older and an invented link get the same answer, which reveals no account', async () => {
    const [person, phone, other] = await Promise.all([api.user('Secret Name'), messenger.telephone('en'), messenger.telephone('en')]);
    const older = await tokenFor(person);
    const newer = await tokenFor(person);
    const answers = [await phone.ask(`/start ${older}`)];
    await phone.ask(`/start ${newer}`);
    answers.push(await other.ask(`/start ${newer}`), await other.ask(`/start ${'x'.repeat(32)}`), await other.ask('/start x y'));
    expect(answers[0]).toContain('This link is not valid');
    expect(new Set(answers.slice(0, 3)).size).toBe(1);
    expect(answers.join(' ')).not.toContain('Secret');
    expect(await actionsOf(person)).toEqual(['link_issued', 'link_issued', 'connected']);
  });

  test('two phones open one link at once: one is connected', async () => {
    const person = await api.user();
    const token = await tokenFor(person);
    const phones = await Promise.all(Array.from({ length: 6 }, () => messenger.telephone('en')));
    const heard = await Promise.all(phones.map((phone) => phone.ask(`/start ${token}`)));
    expect(heard.filter((text) => text.startsWith('The chat is connected') || text.startsWith('Чат подключён'))).toHaveLength(1);
    expect(heard.filter((text) => text.startsWith('This link is not valid'))).toHaveLength(5);
    expect(await actionsOf(person)).toEqual(['link_issued', 'connected']);
  });

  test('BOT-2: one chat, one account: the newer link wins, and the older account is notified', async () => {
    const { person: first, phone } = await linked();
    const second = await api.user();
    await phone.ask(`/start ${await tokenFor(second)}`);
    expect([(await stateOf(first)).state, (await stateOf(second)).state]).toEqual(['disconnected', 'connected']);
    expect(await notificationsOf(first)).toEqual([{ facts: { cause: 'other_account' } }]);
    expect(await notificationsOf(second)).toEqual([]);
  });

  test('links of many accounts opened in one chat at once connect one of them', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => api.user()));
    const tokens = await Promise.all(people.map(tokenFor));
    const { chatId } = await messenger.telephone();
    const answers = await Promise.all(tokens.map((token) => deliver(updateOf(chatId, `/start ${token}`))));
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    const states = await Promise.all(people.map(async (person) => (await stateOf(person)).state));
    expect(states.filter((state) => state === 'connected')).toHaveLength(1);
    const notified = await Promise.all(people.map(notificationsOf));
    expect(notified.flat()).toHaveLength(4);
  });

  test('BOT-1: expires after ten minutes by the domain clock, before its timer runs and records it', async () => {
    const [person, phone] = await Promise.all([api.user(), messenger.telephone()]);
    const token = await tokenFor(person);
    await waitFor(
      () => api.platform.processes.describe(`bot-link/${person.userId}`),
      (found) => found?.status === 'running',
      'the timer of the link',
    );
    await moveClock(10);
    expect(await stateOf(person)).toEqual(disconnected);
    expect(await phone.ask(`/start ${token}`)).toContain('не подходит');
    api.browser().expect(200, await api.browser().post('/sandbox/sweep'));
    expect(await actionsOf(person)).toEqual(['link_issued', 'link_expired']);
    await phone.ask(`/start ${await tokenFor(person)}`);
    expect((await stateOf(person)).state).toBe('connected');
  });
});

describe('access', () => {
  test('BOT-1: a key reads the link and changes nothing; impersonation changes nothing', async () => {
    const { person } = await linked();
    const program = await person.program(['profiles:read']);
    expect((await stateOf(program)).state).toBe('connected');
    for (const answer of [await program.post('/messaging-bot'), await program.delete('/messaging-bot')])
      expect([answer.status, answer.body.error.code]).toEqual([403, 'browser_session_required']);

    const administrator = await api.user('Administrator');
    await api.sql(`update users set role = 'administrator' where id = $1`, [administrator.userId]);
    const opened = await administrator.post('/admin/impersonate', { user_id: person.userId, password: administrator.password });
    administrator.csrf = administrator.expect(200, opened).body.data.csrf_token;
    expect((await stateOf(administrator)).state).toBe('connected');
    for (const answer of [await administrator.post('/messaging-bot'), await administrator.delete('/messaging-bot')])
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden_while_impersonating']);
    expect((await stateOf(person)).state).toBe('connected');
  });

  test('a blocked account gets nothing, its chat shows nothing, and its link does not work', async () => {
    const [{ person, phone }, other, otherPhone] = [await linked(), await api.user(), await messenger.telephone()];
    const token = await tokenFor(other);
    await api.sql(`update users set status = 'blocked' where id = any($1)`, [[person.userId, other.userId]]);
    expect(await otherPhone.ask(`/start ${token}`)).toContain('не подходит');
    expect(await phone.ask('/balance')).toContain('не подключён');
    expect(await send(person)).toBe('not_linked');
  });
});

describe('the webhook', () => {
  const received = { received: true };
  const good = { 'x-telegram-bot-api-secret-token': botSecret };
  const seen = async () => (await api.sql<{ n: number }>('select count(*)::int as n from bot_updates'))[0]?.n;

  test('BOT-3: accepts the secret in either header, and refuses any body without it', async () => {
    const { chatId } = await messenger.telephone();
    for (const name of ['x-messaging-bot-api-secret-token', 'x-telegram-bot-api-secret-token'])
      expect(api.browser().expect(200, await deliver(updateOf(chatId, '/help'), { [name]: botSecret })).body.data).toEqual(received);
    const before = await seen();
    for (const headers of [{}, { 'x-telegram-bot-api-secret-token': `${botSecret}x` }, { 'x-messaging-bot-api-secret-token': '' }])
      for (const body of [updateOf(chatId, '/help'), { nonsense: true }]) {
        const answer = await deliver(body, headers);
        expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthenticated']);
      }
    expect(await seen()).toBe(before);
    expect((await api.browser().get('/messaging-bot/webhook', good)).status).toBe(405);
  });

  test('refuses invalid updates, and ignores unknown kinds', async () => {
    const { chatId } = await messenger.telephone();
    const sound = updateOf(chatId, 'x');
    for (const body of [
      undefined,
      {},
      { ...sound, update_id: -1 },
      { ...sound, message: { text: 'x' } },
      { ...sound, message: { chat: { id: 'x', type: 'private' }, text: 'x' } },
      { ...sound, message: { chat: { id: chatId, type: 'private' }, text: 7 } },
      { ...sound, my_chat_member: { chat: { id: chatId, type: 'private' } } },
    ]) {
      const answer = await deliver(body);
      expect([body, answer.status, answer.body.error.code]).toEqual([body, 422, 'validation_failed']);
      expect(answer.body.request_id).toEqual(expect.any(String));
    }
    const broken = await api.browser().request('POST', '/messaging-bot/webhook', {
      raw: '{"update_id": ',
      headers: { ...good, 'content-type': 'application/json' },
    });
    expect([broken.status, broken.body.error.code]).toEqual([400, 'malformed_json']);
    const before = await seen();
    const chat = { id: chatId, type: 'private' };
    const update = () => Number(updateOf(chatId, 'x')['update_id']);
    for (const body of [
      { update_id: update(), poll_answer: { poll_id: '1' } },
      { update_id: update(), message: { chat, photo: [{ file_id: 'x' }], unknown: true } },
      { update_id: update(), message: { chat: { id: -5, type: 'group', title: 'x' }, text: '/balance' } },
      { update_id: update(), my_chat_member: { chat: { id: -5, type: 'supergroup' }, new_chat_member: { status: 'kicked' } } },
      { update_id: update(), my_chat_member: { chat, new_chat_member: { status: 'member' } } },
    ])
      expect([body, (await deliver(body)).status]).toEqual([body, 200]);
    expect(await seen()).toBe(before);
  });

  test('BOT-3: a repeated update takes effect once, also in parallel', async () => {
    const [person, phone] = await Promise.all([api.user(), messenger.telephone()]);
    const update = updateOf(phone.chatId, `/start ${await tokenFor(person)}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(update)));
    answers.push(await deliver(update));
    expect(answers.map(({ status, body }) => [status, body.data])).toEqual(answers.map(() => [200, received]));
    await phone.awaitHeard(1);
    // The first answer ends every other link: the bot answers once and the audit has one row.
    await phone.ask('/help');
    expect(await phone.heard()).toHaveLength(2);
    expect(await actionsOf(person)).toEqual(['link_issued', 'connected']);

    await messenger.control({ deliver_times: 5 });
    await phone.ask('/balance');
    await messenger.control({ deliver_times: 1 });
    await phone.ask('/help');
    expect(await phone.heard()).toHaveLength(4);
  });

  test('an update whose effect failed takes effect when it is repeated', async () => {
    const [person, phone] = await Promise.all([api.user(), messenger.telephone()]);
    const update = updateOf(phone.chatId, `/start ${await tokenFor(person)}`);
    await api.sql(`create function refuse_links() returns trigger language plpgsql as $$ begin raise exception 'on demand'; end $$`);
    await api.sql(`create trigger refuse before update on bot_links for each row execute function refuse_links()`);
    expect((await deliver(update)).status).toBe(500);
    await api.sql(`drop trigger refuse on bot_links`);
    expect((await stateOf(person)).state).toBe('pending');
    expect((await deliver(update)).status).toBe(200);
    expect((await stateOf(person)).state).toBe('connected');
  });

  test('BOT-3: updates are deleted after 48 hours, a page at a time', async () => {
    await api.sql(
      `insert into bot_updates (id, seen_at) select -n, now() - interval '49 hours' from generate_series(1, 1500) n
       union all select -9999, now() - interval '47 hours'`,
    );
    const caller = { actor: { kind: 'process' }, requestId: 'test', ip: null } as const;
    const cleared = [await commit(api.platform, caller, clearBotData), await commit(api.platform, caller, clearBotData)];
    expect(cleared).toEqual([
      { changed: 1000, isMore: true },
      { changed: 500, isMore: false },
    ]);
    expect(await api.sql('select id from bot_updates where id < 0')).toHaveLength(1);
  });
});

describe('commands', () => {
  test('are in the menu of the messenger, in three languages and in Russian for all others', async () => {
    const { commands, webhook } = await messenger.look();
    expect(webhook).toEqual({ url: `${api.url}/api/v1/messaging-bot/webhook`, updates: ['message', 'my_chat_member'] });
    expect(Object.keys(commands).sort()).toEqual(['', 'en', 'kk', 'ru']);
    for (const menu of Object.values<{ command: string }[]>(commands))
      expect(menu.map(({ command }) => command)).toEqual(['missing', 'balance', 'certificates', 'stop', 'help']);
    expect(commands['']).toEqual(commands['ru']);
    expect(commands['kk']).not.toEqual(commands['ru']);
  });

  test('an unlinked phone gets instructions in its own language', async () => {
    const words = { ru: 'не подключён', kk: 'қосылмаған', 'en-GB': 'not connected', de: 'не подключён' };
    for (const [language, expected] of Object.entries(words)) {
      const phone = await messenger.telephone(language);
      for (const text of ['/start', 'hello'])
        expect([language, text, await phone.ask(text)]).toEqual([language, text, expect.stringContaining(expected)]);
    }
  });

  test('BOT-4: show the status in the language of the account, and nothing private', async () => {
    const { person, phone } = await linked('de');
    await make.money(person, 1_297_500);
    const { id } = await make.application(person, { status: 'approved' });
    const [certificate] = await api.sql<{ number: string; token: string; valid_until: string }>(
      'select number, token, valid_until from certificates where application_id = $1',
      [id],
    );
    const heard: Record<string, string[]> = {};
    for (const language of ['ru', 'kk', 'en']) {
      await api.sql('update users set language = $1 where id = $2', [language, person.userId]);
      heard[language] = [];
      for (const command of ['/balance', '/certificates', '/missing', '/help', 'how are you?'])
        heard[language].push(await phone.ask(command));
    }
    const [balance, certificates, missing, help, other] = heard['en'] ?? [];
    expect(balance).toMatch(/^The wallet holds KZT\s12,975\.00\.$/);
    expect(certificates).toMatch(/^Your certificates:\n• .+: until 31 December 2026, valid\n\nhttp/);
    expect(help).toContain('/certificates — My certificates');
    expect(other).toBe(help);
    expect(missing).toContain('You need to do nothing.');
    expect(heard['ru']?.[0]).toMatch(/^В кошельке 12\s975,00\s₸\.$/);
    expect(heard['ru']?.[1]).toMatch(/: до 31 декабря 2026 г\., действует/);
    expect(heard['kk']?.[0]).toMatch(/^Әмиянда 12\s975,00\s₸\.$/);
    expect(heard['kk']?.[1]).toMatch(/: соңғы күні – 2026 ж\. 31 желтоқсан; жарамды/);
    const all = Object.values(heard).flat().join('\n');
    for (const secret of [certificate?.number, certificate?.token, person.email, 'Әбдіқадырұлы', 'Ғалым', botToken, botSecret])
      expect(all).not.toContain(secret);
  });

  test('/missing names the profile, the photo, the returned document and what the application lacks', async () => {
    const { person, phone } = await linked();
    expect(await phone.ask('/missing')).toContain('От Вас ничего не требуется.');
    const profileId = await make.profile(person);
    await make.document(person, profileId, { type: 'medical', status: 'changes' });
    const { id } = await make.application(person, { on: { profileId, documentIds: [] } });
    await api.sql('update profiles set photo_id = null where id = $1', [profileId]);
    const text = await phone.ask('/missing');
    // Submission and payment come later: neither is possible yet.
    expect(text.split('\n').slice(0, 4)).toEqual([
      'Что нужно от Вас:',
      `• Профиль ${profileId}: добавьте фото`,
      '• Медицинская справка: замените или исправьте',
      expect.stringMatching(new RegExp(`^• Заявка ${id}, .+: Удостоверение личности или паспорт, Медицинская справка$`)),
    ]);
    await make.document(person, profileId, { type: 'medical' });
    expect(await phone.ask('/missing')).not.toContain('замените или исправьте');
  });

  test('/missing and /certificates show the newest first, and say when there is more', async () => {
    const { person, phone } = await linked();
    const rows = fixturesIn(api.platform);
    const actor = { kind: 'user', userId: person.userId, isAdministrator: false, impersonatedUserId: null } as const;
    const owner = { userId: person.userId, caller: { actor, requestId: 'test', ip: null } };
    const profileId = await rows.profile(owner);
    const owing = await rows.application(owner);
    const issued = await rows.application(owner, { status: 'approved' });
    for (let n = 0; n < 11; n += 1) await rows.profile(owner, { status: 'approved' });
    /** As many as it, for the years behind its own. */
    const repeat = async (id: number, count: number) => {
      const made = await api.sql<{ id: number }>(
        `insert into applications
         select (jsonb_populate_record(a, jsonb_build_object('id', nextval('applications_id_seq'), 'year', a.year + n))).*
         from applications a, generate_series(1, $2::int) n where a.id = $1 returning id`,
        [id, count],
      );
      await api.sql(
        `insert into application_documents
         select m, d.document_id from application_documents d, unnest($2::int[]) m where d.application_id = $1`,
        [id, made.map((row) => row.id)],
      );
      return made.map((row) => row.id).sort((left, right) => left - right);
    };
    const linesOf = async (command: string) => (await phone.ask(command)).split('\n').filter((line) => line !== '');
    const applicationsIn = (lines: string[]) => lines.flatMap((line) => /^• Заявка (\d+), /.exec(line)?.[1] ?? []).map(Number);

    // An application of a later year is judged by the documents on its first day.
    await api.sql(
      `update documents set expires_at = '9999-12-31' where id in (select document_id from application_documents where application_id = $1)`,
      [issued.id],
    );
    const copies = await repeat(issued.id, 60);
    const found = await linesOf('/missing');
    expect(found).toContain(`• Профиль ${profileId}: отправьте на проверку`);
    expect(applicationsIn(found)).toEqual([owing.id]);
    expect(found.join()).not.toContain('И другое');

    copies.push(...(await repeat(owing.id, 11)));
    const cut = await linesOf('/missing');
    expect(applicationsIn(cut)).toEqual(copies.slice(-10).toReversed());
    expect(cut).toContain('И другое, всё на сайте.');

    // Beyond the limit the answer must not claim that there is nothing.
    await api.sql(`update applications set year = year + 1000 where id = any($1)`, [copies]);
    await repeat(issued.id, 200);
    await api.sql(`update profiles set status = 'approved', photo_status = 'approved' where id = $1`, [profileId]);
    const many = (await linesOf('/missing')).join();
    expect(many).toContain('Заявок слишком много');
    expect(many).not.toContain('ничего не требуется');

    for (let n = 0; n < 9; n += 1) await rows.application(owner, { status: 'approved' });
    const ten = await linesOf('/certificates');
    expect(ten.filter((line) => line.startsWith('• '))).toHaveLength(10);
    expect(ten.join()).not.toContain('И другое');
    await rows.application(owner, { status: 'approved' });
    const eleven = await linesOf('/certificates');
    expect(eleven.filter((line) => line.startsWith('• '))).toHaveLength(10);
    expect(eleven).toContain('И другое, всё на сайте.');
  });

  test('/stop disconnects, and the account can be linked again', async () => {
    const { person, phone } = await linked('en');
    expect(await phone.ask('/stop@registry_test_bot')).toContain('Чат отключён');
    expect(await stateOf(person)).toEqual(disconnected);
    expect((await auditOf(person)).at(-1)).toEqual({
      action: 'disconnected',
      actor_id: person.userId,
      data: { by: 'chat' },
    });
    expect(await notificationsOf(person)).toEqual([]);
    expect(await phone.ask('/balance')).toContain('not connected');
    expect(await phone.ask(`/start ${await tokenFor(person)}`)).toContain('Чат подключён');
  });
});

describe('a new password', () => {
  test('BOT-6: ends the link with one notification, and a waiting link', async () => {
    const [{ person, phone }, waiting, other] = await Promise.all([linked(), api.user(), messenger.telephone()]);
    const token = await tokenFor(waiting);
    for (const one of [person, waiting])
      one.expect(200, await one.post('/auth/password', { current_password: one.password, password: `${one.password} and more` }));
    expect(await stateOf(person)).toEqual(disconnected);
    expect(await phone.ask('/balance')).toContain('не подключён');
    expect(await notificationsOf(person)).toEqual([{ facts: { cause: 'password' } }]);
    expect((await auditOf(person)).at(-1)).toEqual({
      action: 'disconnected',
      actor_id: person.userId,
      data: { by: 'password' },
    });
    expect(await other.ask(`/start ${token}`)).toContain('не подходит');
    expect([await actionsOf(waiting), await notificationsOf(waiting)]).toEqual([['link_issued', 'link_withdrawn'], []]);
  });
});

describe('a blocked bot', () => {
  test('BOT-5: on the phone: the account is disconnected and notified, once', async () => {
    const { person, phone } = await linked();
    await messenger.control({ deliver_times: 3 });
    await phone.block();
    await waitFor(
      () => stateOf(person),
      ({ state }) => state === 'disconnected',
      'the link to end',
    );
    await messenger.control({ deliver_times: 1 });
    await phone.unblock();
    expect(await phone.ask('/balance')).toContain('не подключён');
    expect(await notificationsOf(person)).toEqual([{ facts: { cause: 'blocked' } }]);
    expect((await auditOf(person)).at(-1)).toMatchObject({ action: 'disconnected', data: { by: 'blocked' } });
  });

  test('a late block update ends no newer link', async () => {
    const [person, { chatId }] = await Promise.all([api.user(), messenger.telephone()]);
    const late = kickedOf(chatId);
    expect((await deliver(updateOf(chatId, `/start ${await tokenFor(person)}`))).status).toBe(200);
    expect((await deliver(late)).status).toBe(200);
    expect((await stateOf(person)).state).toBe('connected');
    expect((await deliver(kickedOf(chatId))).status).toBe(200);
    expect(await stateOf(person)).toEqual(disconnected);
    expect(await notificationsOf(person)).toEqual([{ facts: { cause: 'blocked' } }]);
  });

  test('a refused message ends the earlier link, and no newer one', async () => {
    const [person, { chatId }] = await Promise.all([api.user(), messenger.telephone()]);
    const connect = async () => {
      expect((await deliver(updateOf(chatId, `/start ${await tokenFor(person)}`))).status).toBe(200);
      expect((await stateOf(person)).state).toBe('connected');
    };
    await connect();
    const refusing = {
      sendMessage: async () => {
        await deliver(updateOf(chatId, '/stop'));
        await connect();
        throw new BotBlockedError();
      },
    } as unknown as Bot;
    expect(await writeToChat(api.platform, refusing, { chatId, text: 'x', requestId: 'test' })).toBe(false);
    expect((await stateOf(person)).state).toBe('connected');
  });

  test('BOT-5: on sending: the same, however many messages are sent in parallel', async () => {
    const { person, phone } = await linked();
    // The update about it is on its way for as long as this takes.
    await messenger.control({ hold_updates: true });
    await phone.block();
    const sent = await Promise.all([1, 2, 3].map(() => send(person)));
    expect(sent).toEqual(['not_linked', 'not_linked', 'not_linked']);
    expect(await stateOf(person)).toEqual(disconnected);
    await messenger.control({ hold_updates: false });
    await phone.unblock();
    await phone.ask('/help');
    expect(await notificationsOf(person)).toEqual([{ facts: { cause: 'blocked' } }]);
    expect((await auditOf(person)).at(-1)).toMatchObject({ actor_id: null, data: { by: 'blocked' } });
  });
});

describe('an outage of the platform', () => {
  afterEach(() => messenger.control({ outage: 'none', too_many_requests: { retry_after: 1, times: 0 } }));

  test('messages are sent unchanged to the account that has a chat', async () => {
    const { person, phone } = await linked();
    expect(await send(person)).toBe('sent');
    expect(await phone.awaitHeard(2)).toBe('A title <b>&\nhttp://localhost:8080');
    expect(await send(await api.user())).toBe('not_linked');
  });

  test('sending fails without revealing the token, and the link stays', async () => {
    const { person, phone } = await linked();
    await messenger.control({ outage: 'error' });
    const failure = await send(person).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'BotUnavailableError', retryAfterMs: null });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(botToken.split(':')[1]);
    // The effect of an update does not hang on the answer to it.
    expect((await deliver(updateOf(phone.chatId, '/balance'))).status).toBe(200);
    expect((await stateOf(person)).state).toBe('connected');
    await messenger.control({ outage: 'none' });
    expect(await send(person)).toBe('sent');
  });

  test('a rate limit: the error carries the pause', async () => {
    const { person } = await linked();
    await messenger.control({ too_many_requests: { retry_after: 7, times: 1 } });
    await expect(send(person)).rejects.toMatchObject({ name: 'BotUnavailableError', retryAfterMs: 7000 });
    expect(await send(person)).toBe('sent');
  });

  test('a link used during an outage is connected', async () => {
    const [person, phone] = await Promise.all([api.user(), messenger.telephone()]);
    const token = await tokenFor(person);
    await messenger.control({ outage: 'error' });
    await phone.write(`/start ${token}`);
    await waitFor(
      () => stateOf(person),
      ({ state }) => state === 'connected',
      'the link to be used',
    );
    await messenger.control({ outage: 'none' });
    // The greeting, which the outage held up, may still come before the answer.
    await phone.write('/balance');
    const isBalance = (texts: string[]) => texts.some((text) => text.includes('В кошельке'));
    expect(isBalance(await waitFor(() => phone.heard(), isBalance, 'the balance'))).toBe(true);
  });
});
