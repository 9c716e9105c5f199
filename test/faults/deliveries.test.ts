import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestClient } from '../support/client.ts';
import { waitFor } from '../support/wait-for.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';
import { arm, type Moment, whenReached } from './moments.ts';

/**
 * Between a fact and its mail any process may be killed outright: the person is notified once in the application and by mail at least once.
 * Only a worker that dies between the mail server's answer and the removal of the row sends a mail again, with the same Message-ID.
 */
let faultStack: FaultStack;
let administrator: CarefulClient;
let people: Awaited<ReturnType<FaultStack['people']>>;

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/crashing-worker.ts' });
  administrator = new CarefulClient(faultStack.baseUrl, faultStack.administratorKey, new Watch());
  people = await faultStack.people(places.length + 1, () => true);
});
afterAll(() => faultStack.stop());

/** Ids of an account's mails about a document, one for each delivery. */
async function mailsOf(userId: number): Promise<string[]> {
  const [account] = await faultStack.sql<{ email: string }>('select email from users where id = $1', [userId]);
  const folder = join(faultStack.stack.dataDir, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return mails
    .filter((mail) => mail.includes(`To: ${account?.email}\r\n`))
    .map((mail) => /^Message-ID: <(notification-\d+)@/im.exec(mail)?.[1] ?? 'another mail');
}

async function personOf(index: number): Promise<{ userId: number; documentId: number }> {
  const [row] = await faultStack.sql<{ userId: number; documentId: number }>(
    `select p.owner_id as "userId", d.id as "documentId" from documents d join profiles p on p.id = d.profile_id
     where d.profile_id = $1 and d.status = 'pending'`,
    [people[index]?.profileId],
  );
  if (row === undefined) throw new Error(`person ${index} has no document that waits`);
  return row;
}

const untilOver = (userId: number) =>
  waitFor(
    () => faultStack.sql('select id from notification_deliveries where user_id = $1', [userId]),
    (rows) => rows.length === 0,
    'the mail to go out',
  );

const notificationsOf = (userId: number) =>
  faultStack.sql<{ id: string }>(
    `select 'notification-' || id as id from notifications where user_id = $1 and type = 'document.approved'`,
    [userId],
  );

const places: [string, string, Moment, number][] = [
  ['when the decision is committed and no message was sent', 'document.review', 'after', 1],
  ['before it hands the mail over', 'deliveries.mail', 'before', 1],
  ['when it has handed the mail over and its row is still there', 'deliveries.mail', 'after', 2],
  ['before it removes the row of a mail that was sent', 'deliveries', 'before', 2],
  ['before it commits the removal', 'deliveries', 'inside', 2],
  ['when it has removed the row', 'deliveries', 'after', 1],
];

test.each(places)('the worker dies %s', async (where, activity, moment, times) => {
  const { userId, documentId } = await personOf(places.findIndex(([place]) => place === where));
  arm(faultStack.stack.dataDir, { activity, moment, act: 'die' });
  await administrator.send('POST', '/admin/review', {
    body: { kind: 'document', id: documentId, decision: 'approve' },
    key: `d${documentId}`,
  });
  await whenReached(faultStack.stack.dataDir);
  await untilOver(userId);
  const [notified, ...more] = await notificationsOf(userId);
  expect(more).toEqual([]);
  expect(await mailsOf(userId)).toEqual(Array.from({ length: times }, () => notified?.id));
});

test('the API dies as soon as a correction is committed', async () => {
  const { userId } = await personOf(places.length);
  const { profileId } = people[places.length] ?? {};
  const client = new TestClient(faultStack.baseUrl, faultStack.administratorKey);
  const record = client.expect(200, await client.get(`/admin/records/profile/${profileId}`)).body.data;
  const path = `/admin/records/profile/${profileId}`;
  const body = { data: { city: 'Орал' }, updated_at: record.updated_at };
  const answer = client.patch(path, body).catch(() => undefined);
  const corrected = () => faultStack.sql(`select id from notifications where user_id = $1 and type = 'record.corrected'`, [userId]);
  await waitFor(corrected, (rows) => rows.length > 0, 'the correction to be committed');
  await partOf(faultStack.stack, 'api').kill('SIGKILL');
  await answer;
  await untilOver(userId);
  expect(await mailsOf(userId)).toHaveLength(1);
});
