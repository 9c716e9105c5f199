import { documentNotifications } from '../../../src/areas/documents/notifications.ts';
import { deliveryProcess, notify } from '../../../src/areas/notifications/index.ts';
import { commit } from '../../../src/platform/command.ts';
import { adoptProcesses } from '../../../src/platform/workflows/adopt.ts';
import type { TestClient } from '../../support/client.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { startTestApi, type TestApi } from '../../support/test-api.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Delivery through a real mail server with an outage, and a real Temporal. */
let api: TestApi;
let mail: MailServer;
let administrator: TestClient;
beforeAll(async () => {
  mail = await startMailServer();
  api = await startTestApi({ SMTP_URL: mail.url });
  administrator = await api.administrator();
});
afterAll(async () => {
  await api.close();
  await mail.close();
});
afterEach(() => {
  mail.answer = () => null;
});

const tell = (userId: number, ...documents: number[]) =>
  commit(api.platform, { actor: { kind: 'process' }, requestId: 'who-told', ip: null }, async (ctx) => {
    for (const id of documents) await notify(ctx, userId, documentNotifications['document.approved'], { kind: 'document', id });
  });

/** Documents named in an account's mails, in the order of the mails. */
const toldOf = ({ email }: TestClient): number[] =>
  mail.messages
    .filter((message) => message.includes(`To: ${email}`))
    .map((message) => Number(/документ № (\d+)/.exec(textOf(message))?.[1] ?? Number.NaN));

function textOf(message: string): string {
  const [head = '', ...rest] = message.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  return /^Content-Transfer-Encoding: base64/im.test(head) ? Buffer.from(body, 'base64').toString() : body.replaceAll('=\r\n', '');
}

const untilTold = (person: TestClient, documents: readonly number[], deadlineMs?: number) =>
  waitFor(
    () => toldOf(person),
    (told) => told.length >= documents.length,
    'the mails',
    deadlineMs,
  ).then((told) => expect(told).toEqual(documents));

const processOf = ({ userId }: TestClient) => `delivery/${userId}`;
const rowOf = async (person: TestClient) =>
  administrator.expect(200, await administrator.get(`/admin/processes?q=${processOf(person)}`)).body.data[0];
const retry = (person: TestClient) =>
  administrator.post(`/admin/processes/${processOf(person)}/actions`, { action: 'retry', reason: 'the mail server is back' });
const find = (person: TestClient) => api.platform.processes.find(`delivery/${person.userId}`);
const untilEnded = (person: TestClient) =>
  waitFor(
    () => find(person),
    (found) => found?.status === 'completed',
    'the process to end',
  );
const untilOver = (person: TestClient) =>
  waitFor(
    () => api.sql('select from deliveries where user_id = $1', [person.userId]),
    (rows) => rows.length === 0,
    'the delivery to be over',
  );

test('a burst goes out in one run, each mail once, with an id that names the notification', async () => {
  const person = await api.user();
  await tell(person.userId, 1, 2, 3);
  await untilTold(person, [1, 2, 3]);
  await untilOver(person);
  expect([await rowOf(person), await find(person)]).toEqual([undefined, null]);
  const ids = await api.sql<{ id: number }>('select id from notifications where user_id = $1 order by id', [person.userId]);
  const own = mail.messages.filter((message) => message.includes(`To: ${person.email}`));
  expect(own.map((message) => /^Message-ID: <(.*)>/im.exec(message)?.[1])).toEqual(ids.map(({ id }) => `notification-${id}@127.0.0.1`));
  expect(toldOf(person)).toEqual([1, 2, 3]);
  // With the id of the request that caused it.
  const { data } = administrator.expect(200, await administrator.get('/admin/processes?kind=delivery')).body;
  expect(data).toEqual([]);
});

test('during an outage of the mail server mails wait visibly, then go out in order, once', async () => {
  const people = await Promise.all([api.user(), api.user()]);
  const [person] = people;
  if (person === undefined) throw new Error('there is nobody');
  mail.answer = (line) => (line.startsWith('MAIL') ? '451 4.3.0 the queue is full' : null);
  for (const { userId } of people) await tell(userId, 1, 2);
  const postponed = await waitFor(
    () => rowOf(person),
    (row) => row?.state === 'waiting' && row.reason !== null,
    'the delivery to be postponed',
  );
  expect(postponed).toMatchObject({ kind: 'delivery', waiting_for: 'date', reason: 'service_unavailable' });
  expect(Date.parse(postponed.next_timer_at)).toBeGreaterThan(Date.now());
  for (let tries = 0; tries < 6; tries += 1)
    expect(await retry(person)).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  expect(await rowOf(person)).toMatchObject({ state: 'stuck', reason: 'service_unavailable', waiting_for: 'date' });
  await tell(person.userId, 3);
  expect(toldOf(person)).toEqual([]);
  mail.answer = () => null;
  // The worker pauses for two seconds before a mail server that was away.
  await waitFor(
    () => retry(person),
    ({ status }) => status === 200 || status === 409,
    'the mail server to be tried again',
  );
  await untilTold(person, [1, 2, 3]);
  await untilEnded(person);
  expect(await rowOf(person)).toBeUndefined();
  // The other account was not retried by hand: its own timer fires, after a second pause of up to 30 s if an attempt came too early.
  const [, other] = people;
  if (other === undefined) throw new Error('there is nobody else');
  await untilTold(other, [1, 2]);
  await untilEnded(other);
});

test('a mail that the server refuses for now after its text does not block later ones, and goes out later', async () => {
  const person = await api.user();
  const isFirst = (message: string) => message.includes(`To: ${person.email}`) && textOf(message).includes('документ № 1');
  mail.answer = (line, message) => (line === '.' && isFirst(message) ? '451 4.7.1 try again later' : null);
  await tell(person.userId, 1, 2, 3);
  await untilTold(person, [2, 3]);
  await tell(person.userId, 4);
  await untilTold(person, [2, 3, 4]);
  const waiting = await waitFor(
    () => rowOf(person),
    (row) => row?.state === 'waiting',
    'the delivery to wait for its next try',
  );
  expect(waiting).toMatchObject({ waiting_for: 'date' });
  mail.answer = () => null;
  await waitFor(
    () => retry(person),
    ({ status }) => status === 200,
    'the mail to be tried at once',
  );
  await untilTold(person, [2, 3, 4, 1]);
  await untilOver(person);
});

test('many accounts notified together get their mails in order, without processes of their own', async () => {
  const people: TestClient[] = [];
  // One after the other: ten passwords of an address may be worked on or wait.
  for (let person = 0; person < 12; person += 1) people.push(await api.user());
  for (const { userId } of people) await tell(userId, 1, 2);
  await Promise.all(people.map(async (person) => untilTold(person, [1, 2])));
  await Promise.all(people.map(untilOver));
  expect(await Promise.all(people.map(find))).toEqual(people.map(() => null));
});

test('an address unknown to the mail server does not block others, and is audited', async () => {
  const [person, other] = [await api.user(), await api.user()];
  mail.answer = (line) => (line.includes(`<${person.email}>`) && line.startsWith('RCPT') ? '550 5.1.1 no such user' : null);
  await tell(person.userId, 1);
  await tell(other.userId, 2);
  await untilTold(other, [2]);
  await untilOver(person);
  const { data } = administrator.expect(
    200,
    await administrator.get(`/admin/audit?action=notification.refused&subject=user/${person.userId}`),
  ).body;
  expect(data).toMatchObject([{ data: { channel: 'mail', code: 550 }, request_id: `delivery-${person.userId}` }]);
  expect(JSON.stringify(data)).not.toContain('@');
});

test('the audit leaves new deliveries to a round, and starts the process of a missed one', async () => {
  const person = await api.user();
  await api.stopWorkers();
  await tell(person.userId, 1);
  const adopt = () => adoptProcesses(api.platform, deliveryProcess, [person.userId]);
  expect(await adopt()).toMatchObject({ started: 0, present: 0 });
  await api.sql(`update deliveries set due_at = due_at - interval '61 seconds' where user_id = $1`, [person.userId]);
  expect(await adopt()).toMatchObject({ started: 1 });
  await api.startWorkers();
  await untilTold(person, [1]);
  await untilEnded(person);
});

test('the sweeper sends deliveries whose wake-up was lost', async () => {
  const person = await api.user();
  await api.stopWorkers();
  await tell(person.userId, 1);
  await api.sql(`delete from outbox where process = $1`, [processOf(person)]);
  await api.startWorkers();
  administrator.expect(200, await api.browser().post('/sandbox/sweep'));
  await untilTold(person, [1]);
});
