import { readinessOf, unknownHealth } from '../../src/http/operations/health.ts';
import {
  type DependencyCheck,
  type DependencyTimes,
  type DependencyWatch,
  watchDependencies,
} from '../../src/platform/health/watch-dependencies.ts';
import { waitFor } from '../support/wait-for.ts';

const quick: DependencyTimes = { everyMs: 20, deadlineMs: 50 };

/** Two dependencies that answer as the test sets, with a count of checks. */
function makeDependencies() {
  const checked = { database: 0, storage: 0 };
  const behaviour: Record<keyof typeof checked, DependencyCheck> = { database: async () => undefined, storage: async () => undefined };
  const logged: string[] = [];
  const counted = (name: keyof typeof checked, times: DependencyTimes) => ({
    times,
    check: () => {
      checked[name] += 1;
      return behaviour[name]();
    },
  });
  const log = {
    info: (facts: object, text: string) => logged.push(`${text} ${JSON.stringify(facts)}`),
    warn: (facts: object, text: string) => logged.push(`${text} ${JSON.stringify(facts)}`),
  };
  const start = async (times = quick) => {
    watch = await watchDependencies({ database: counted('database', times), storage: counted('storage', times), bank: null }, log as never);
    return watch;
  };
  return { checked, behaviour, logged, start };
}

let watch: DependencyWatch<'database' | 'storage' | 'bank'> | null = null;
afterEach(() => watch?.stop());

test('API-10: the first check completes before requests; reading the statuses starts no check', async () => {
  const parts = makeDependencies();
  const { statuses } = await parts.start({ ...quick, everyMs: 60_000 });
  for (let count = 0; count < 10_000; count += 1) expect(statuses().database.state).toBe('ok');
  expect(statuses()).toMatchObject({ storage: { state: 'ok', cause: null }, bank: { state: 'disabled' } });
  expect(parts.checked).toEqual({ database: 1, storage: 1 });
});

test('checks repeat; each change is logged once, with its cause, and has its own beginning', async () => {
  const parts = makeDependencies();
  const { statuses } = await parts.start();
  const { since } = statuses().storage;
  parts.behaviour.storage = () => Promise.reject(new Error('the bucket is gone'));
  const away = await waitFor(statuses, ({ storage }) => storage.state === 'away', 'the storage to be away');
  expect(away).toMatchObject({ database: { state: 'ok' }, storage: { cause: 'the bucket is gone' } });
  expect(away.storage.since.getTime()).toBeGreaterThanOrEqual(since.getTime());
  const count = parts.checked.storage;
  await waitFor(
    () => parts.checked.storage,
    (now) => now > count + 3,
    'more checks',
  );
  expect(statuses().storage.since).toBe(away.storage.since);
  parts.behaviour.storage = async () => undefined;
  await waitFor(statuses, ({ storage }) => storage.state === 'ok', 'the storage to be back');
  expect(parts.logged).toEqual([
    'dependency away {"dependency":"storage","cause":"the bucket is gone"}',
    'dependency back {"dependency":"storage"}',
  ]);
});

test('a dependency that does not answer is away, and gets no second check meanwhile', async () => {
  const parts = makeDependencies();
  const silence = Promise.withResolvers<void>();
  const { statuses } = await parts.start();
  parts.behaviour.storage = () => silence.promise;
  await waitFor(statuses, ({ storage }) => storage.state === 'away', 'the silence to be noticed');
  const [count, others] = [parts.checked.storage, parts.checked.database];
  await waitFor(
    () => parts.checked.database,
    (now) => now > others + 3,
    'more checks of the other',
  );
  expect(parts.checked.storage).toBe(count);
  parts.behaviour.storage = async () => undefined;
  silence.resolve();
  await waitFor(statuses, ({ storage }) => storage.state === 'ok', 'the storage to be back');
});

test('after stop no check begins', async () => {
  const parts = makeDependencies();
  const { stop } = await parts.start();
  await stop();
  const checked = { ...parts.checked };
  await new Promise((resolve) => setTimeout(resolve, 10 * quick.everyMs));
  expect(parts.checked).toEqual(checked);
});

test('API-10: only the database and a stop make a process unready', () => {
  const { dependencies } = unknownHealth();
  const ok = { state: 'ok', since: new Date(), cause: null } as const;
  const served = { isStopping: false, dependencies: { ...dependencies, database: ok } };
  expect(readinessOf(served)).toEqual({ status: 'ok', reason: null });
  expect(readinessOf({ ...served, isStopping: true })).toEqual({ status: 'not_ready', reason: 'The process is stopping.' });
  const unmigrated = { ...ok, state: 'away', cause: 'The database has no tables. Run `npm run registry -- migrate`.' } as const;
  expect(readinessOf({ ...served, dependencies: { ...dependencies, database: unmigrated } })).toEqual({
    status: 'not_ready',
    reason: 'Database: The database has no tables. Run `npm run registry -- migrate`.',
  });
});
