import type { TestClient } from '../../support/client.ts';
import { tell } from '../../support/factories/notifications.ts';
import { startMailServer } from '../../support/outside-servers/mail-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Delivery through a real mail server with an outage, and what administrators see of it. */
const mail = await startMailServer();
const { api, administrator } = await useRegistry({ SMTP_URL: mail.url });
afterAll(() => mail.close());
afterEach(() => {
  mail.answer = () => null;
});

/** Documents named in an account's mails, in the order of the mails. */
const notificationsOf = ({ email }: TestClient): number[] =>
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
    () => notificationsOf(person),
    (notified) => notified.length >= documents.length,
    'the mails',
    deadlineMs,
  ).then((notified) => expect(notified).toEqual(documents));

const processOf = ({ userId }: TestClient) => `delivery/${userId}`;
const rowOf = async (person: TestClient) =>
  administrator.expect(200, await administrator.get(`/admin/processes?q=${processOf(person)}`)).body.data[0];
const retry = (person: TestClient) =>
  administrator.post(`/admin/processes/${processOf(person)}/actions`, { action: 'retry', reason: 'the mail server is back' });
const untilOver = (person: TestClient) =>
  waitFor(
    () => rowOf(person),
    (row) => row === undefined,
    'the delivery to be over',
  );
const attemptsOf = async ({ userId }: TestClient) =>
  (await api.sql<{ n: number }>('select coalesce(max(attempts), 0) as n from notification_deliveries where user_id = $1', [userId]))[0]
    ?.n ?? 0;

test('during an outage of the mail server mails wait visibly, then go out in order, once', async () => {
  const people = await Promise.all([api.user(), api.user()]);
  const [person] = people;
  if (person === undefined) throw new Error('no person was made');
  mail.answer = (line) => (line.startsWith('MAIL') ? '451 4.3.0 the queue is full' : null);
  for (const { userId } of people) await tell(api.platform, userId, 1, 2);
  const postponed = await waitFor(
    () => rowOf(person),
    (row) => row?.state === 'waiting' && row.reason !== null,
    'the delivery to be postponed',
  );
  expect(postponed).toMatchObject({
    kind: 'delivery',
    id: person.userId,
    workflow_id: processOf(person),
    url: null,
    waiting_for: 'date',
    reason: 'service_unavailable',
  });
  expect(Date.parse(postponed.next_timer_at)).toBeGreaterThan(Date.now());
  const countedAndListed = async () => {
    const { processes } = administrator.expect(200, await administrator.get('/admin/overview')).body.data;
    return [processes.waiting, administrator.expect(200, await administrator.get('/admin/processes?state=waiting')).body.meta.total];
  };
  // Both accounts wait, once neither is being tried.
  await waitFor(countedAndListed, ([counted, listed]) => counted === 2 && listed === 2, 'both accounts to be counted');
  for (let tries = await attemptsOf(person); tries < 6; tries = await attemptsOf(person)) {
    administrator.expect(200, await retry(person));
    await waitFor(
      () => attemptsOf(person),
      (attempts) => attempts > tries,
      'the next attempt',
    );
  }
  expect(await rowOf(person)).toMatchObject({ state: 'stuck', reason: 'service_unavailable', waiting_for: 'date' });
  expect(
    await administrator.post(`/admin/processes/${processOf(person)}/actions`, { action: 'restart', reason: 'begins anew' }),
  ).toMatchObject({
    status: 409,
    body: { error: { code: 'invalid_state', details: { status: 'stuck', allowed: ['retry'] } } },
  });
  await tell(api.platform, person.userId, 3);
  expect(notificationsOf(person)).toEqual([]);
  mail.answer = () => null;
  // Right after a failure of the other account a retry fails at once, without a call: the administrator repeats it.
  await waitFor(
    async () => {
      const row = await rowOf(person);
      if (row !== undefined && Date.parse(row.next_timer_at) > Date.now()) administrator.expect(200, await retry(person));
      return row;
    },
    (row) => row === undefined,
    'the delivery to be over after a retry',
  );
  expect(notificationsOf(person)).toEqual([1, 2, 3]);
  // The other account was not retried by hand: its next attempt comes by itself, the later the longer the outage lasted.
  const [, other] = people;
  if (other === undefined) throw new Error('no second person was made');
  const nextTryAt = (await rowOf(other))?.next_timer_at;
  await untilTold(other, [1, 2], Math.max(0, Date.parse(nextTryAt ?? '1970-01-01') - Date.now()) + 120_000);
  await untilOver(other);
  const actions = administrator.expect(200, await administrator.get(`/admin/processes/actions?process=${processOf(person)}`)).body.data;
  expect(actions[0]).toMatchObject({ action: 'retry', reason: 'the mail server is back', actor_id: administrator.userId });
});

test('what is written while no worker runs goes out when one starts', async () => {
  const person = await api.user();
  await api.stopWorkers();
  await tell(api.platform, person.userId, 1);
  expect(await rowOf(person)).toMatchObject({ state: 'running', reason: null });
  await api.startWorkers();
  await untilTold(person, [1]);
  await untilOver(person);
});
