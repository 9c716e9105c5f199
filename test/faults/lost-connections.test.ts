import { createRandom } from '../support/random.ts';
import { liveThrough, storyOf } from './applicant.ts';
import { Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { findFaults } from './verdict.ts';

const applicants = 10;
/** More than the size of a pool: a pool that leaked a connection each time would be exhausted. */
const cuts = 40;
const pauseMs = 150;

let faultStack: FaultStack;
beforeAll(async () => {
  faultStack = await startFaultStack();
});
afterAll(() => faultStack.stop());

async function liveThroughAll(watch: Watch, disturb: () => Promise<void>) {
  const random = createRandom(5);
  const people = await faultStack.people(applicants, (index) => storyOf(index) === 'document reviewed last');
  const surroundings = { ...faultStack, bankUrl: faultStack.stack.bankUrl, watch };
  const lives = people.map((person, index) => liveThrough(storyOf(index), person, surroundings, random.fork()));
  const [accepted] = await Promise.all([Promise.all(lives), disturb()]);
  return accepted;
}

test('all database connections are lost repeatedly: clients see success or 503, repeats succeed, no process restarts', async () => {
  const watch = new Watch();
  let cutConnections = 0;
  const accepted = await liveThroughAll(watch, async () => {
    for (let cut = 0; cut < cuts; cut += 1) {
      const [row] = await faultStack.sql<{ count: number }>(
        `select count(*)::int from (select pg_terminate_backend(pid) from pg_stat_activity where usename = 'registry_app') cut`,
      );
      cutConnections += row?.count ?? 0;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  expect(cutConnections).toBeGreaterThan(0);
  expect(watch.surprises).toEqual([]);
  expect(watch.outcomes.get('no answer') ?? 0).toBe(0);
  expect(await findFaults(faultStack, accepted)).toEqual([]);
  expect({ api: faultStack.stack.processes.api.restarts, worker: faultStack.stack.processes.worker.restarts }).toEqual({
    api: 0,
    worker: 0,
  });
});

test('the wallets are locked for five seconds: a payment waits or gets "try again", and happens once', async () => {
  const watch = new Watch();
  const accepted = await liveThroughAll(watch, async () => {
    await watch.nextCommand();
    await faultStack.sql('begin; lock table wallets in access exclusive mode; select pg_sleep(5); commit');
  });
  expect(watch.surprises).toEqual([]);
  expect(await findFaults(faultStack, accepted)).toEqual([]);
});
