import { randomUUID } from 'node:crypto';
import type { InsertedPerson } from '../support/factories.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';
import { arm, moments, release, whenReached } from './moments.ts';
import { readyToPay } from './applicant.ts';

let faultStack: FaultStack;
let people: InsertedPerson[];

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/crashing-worker.ts' });
  people = await faultStack.people(12);
});
afterAll(() => faultStack.stop());

function nextPerson(): InsertedPerson {
  const person = people.shift();
  if (!person) throw new Error('prepare more people');
  return person;
}

/** A profile with an unpaid application, the receiving account, and the administrator of the transfer. */
async function prepared() {
  const [old, next] = [nextPerson(), nextPerson()];
  const watch = new Watch();
  const clientOf = (key: string) => new CarefulClient(faultStack.baseUrl, key, watch);
  const applicationId = await readyToPay(faultStack, clientOf(old.key), old);
  const body = {
    current_user_id: old.userId,
    target_user_id: next.userId,
    reason: 'The club takes its athlete over',
    password: faultStack.stack.administrator.password,
  };
  const administrator = clientOf(faultStack.administratorKey);
  const key = randomUUID();
  const transfer = () => administrator.send('PUT', `/admin/profiles/${old.profileId}/owner`, { body, key });
  return { old, next, watch, clientOf, applicationId, transfer };
}

/** How many accounts own the profile and its records, and how many notifications the transfer has. */
async function effectsOn({ profileId }: InsertedPerson): Promise<unknown> {
  const [row] = await faultStack.sql(
    `select (select count(distinct owner)::int from (
         select owner_id as owner from profiles where id = $1 union all select owner_id from applications where profile_id = $1
         union all select f.owner_id from documents d join files f on f.id = d.file_id where d.profile_id = $1) o) as owners,
       (select owner_id from profiles where id = $1) as owner,
       (select count(*)::int from ownership_transfers where profile_id = $1) as transfers,
       (select count(*)::int from audit_events where action = 'profile.transferred' and subject_id = $1::text) as audited,
       (select count(*)::int from notifications where type = 'profile.transferred' and subject_id = $1::text) as notified`,
    [profileId],
  );
  return row;
}

const once = (owner: InsertedPerson) => ({ owners: 1, owner: owner.userId, transfers: 1, audited: 1, notified: 2 });

describe('the worker is killed during a transfer', () => {
  test.each(moments)('%s its transaction: it is complete, with one notification', async (moment) => {
    const { old, next, watch, clientOf, applicationId, transfer } = await prepared();
    arm(faultStack.stack.dataDir, { activity: 'ownership-transfer.transfer', moment, act: 'die' });
    const done = await transfer();
    await whenReached(faultStack.stack.dataDir);
    expect(done.body.data).toMatchObject({ owner: { id: next.userId }, previous_owner: { id: old.userId } });
    expect(await effectsOn(old)).toEqual(once(next));
    // The processes of the moved records continue with the new owner.
    const waiting = await clientOf(next.key).send('POST', `/applications/${applicationId}/pay`, { final: [409], key: randomUUID() });
    expect(waiting.body.error.code).toBe('insufficient_funds');
    await clientOf(old.key).send('GET', `/applications/${applicationId}`, { final: [404] });
    expect(watch.surprises).toEqual([]);
  });
});

test('a paused transfer changes nothing; after a crash of the API the repeat is answered and moves nothing', async () => {
  const { old, next, transfer } = await prepared();
  const { dataDir, processes } = faultStack.stack;
  arm(dataDir, { activity: 'ownership-transfer.transfer', moment: 'inside', act: 'hold' });
  const answered = transfer();
  await whenReached(dataDir);
  expect(await effectsOn(old)).toEqual({ owners: 1, owner: old.userId, transfers: 0, audited: 0, notified: 0 });
  await partOf(faultStack.stack, 'api').kill('SIGKILL');
  release(dataDir);
  await processes.api.whenReady();
  expect((await answered).body.data).toMatchObject({ owner: { id: next.userId } });
  expect(await effectsOn(old)).toEqual(once(next));
});

test('the record is consistent afterwards', async () => {
  expect(await findBrokenInvariants(faultStack.stack.migrationDatabaseUrl)).toEqual([]);
});
