import { type TaskQueue, taskQueues } from '../../src/config.ts';
import { type ReadinessChecks, type ReadinessTimes, type ReadinessWatch, watchReadiness } from '../../src/http/operations/readiness.ts';
import type { WorkerPresence } from '../../src/platform/workflows/processes.ts';
import { waitFor } from '../support/wait-for.ts';

type Part = keyof ReadinessChecks;

const workers = Object.fromEntries(taskQueues.map((queue) => [queue, 'ok'])) as Record<TaskQueue, WorkerPresence>;
const ready = { status: 'ok', database: 'ok', workflow_engine: 'ok', storage: 'ok', workers };

/** A service whose parts answer as the test sets, with a count of checks. */
function makeParts() {
  const asked: Record<Part, number> = { database: 0, workflow_engine: 0, storage: 0, workers: 0 };
  const behaviour: Record<Part, () => Promise<unknown>> = {
    database: async () => undefined,
    workflow_engine: async () => undefined,
    storage: async () => undefined,
    workers: async () => workers,
  };
  const said: string[] = [];
  const check = (part: Part) => () => {
    asked[part] += 1;
    return behaviour[part]();
  };
  const checks = Object.fromEntries(Object.keys(asked).map((part) => [part, check(part as Part)])) as unknown as ReadinessChecks;
  const log = {
    info: (facts: object, text: string) => said.push(`${text} ${JSON.stringify(facts)}`),
    warn: (_facts: object, text: string) => said.push(text),
  };
  return { asked, behaviour, said, checks, log: log as never };
}

const quick: ReadinessTimes = { everyMs: 20, deadlineMs: 50, staleMs: 2_000 };

let watch: ReadinessWatch | null = null;
afterEach(() => watch?.stop());

async function start(parts: ReturnType<typeof makeParts>, times = quick): Promise<ReadinessWatch> {
  watch = await watchReadiness(parts.checks, parts.log, times);
  return watch;
}

test('API-10: the first check completes before requests; requests cause no check', async () => {
  const parts = makeParts();
  const { state } = await start(parts, { ...quick, everyMs: 60_000 });
  for (let count = 0; count < 10_000; count += 1) expect(state().status).toBe('ok');
  expect(state()).toEqual(ready);
  expect(parts.asked).toEqual({ database: 1, workflow_engine: 1, storage: 1, workers: 1 });
});

test('checks repeat, and each change is logged once', async () => {
  const parts = makeParts();
  const { state } = await start(parts);
  parts.behaviour.storage = () => Promise.reject(new Error('gone'));
  const without = await waitFor(state, ({ status }) => status !== 'ok', 'the want of storage to be seen');
  expect(without).toEqual({ ...ready, status: 'unreachable', storage: 'unreachable' });
  const looks = parts.asked.storage;
  await waitFor(
    () => parts.asked.storage,
    (count) => count > looks + 3,
    'some more looks',
  );
  parts.behaviour.storage = async () => undefined;
  await waitFor(state, ({ status }) => status === 'ok', 'storage to be seen again');
  expect(parts.said).toEqual(['not ready', 'ready again {"part":"storage"}']);
});

test.each(['database', 'workflow_engine', 'storage'] as const)(
  '%s that says nothing is not ready, and is not asked again meanwhile',
  async (part) => {
    const parts = makeParts();
    const silence = Promise.withResolvers<void>();
    const { state } = await start(parts);
    parts.behaviour[part] = () => silence.promise;
    await waitFor(state, (seen) => seen[part] === 'unreachable' && seen.status === 'unreachable', 'the silence to be noticed');
    const [looks, others] = [parts.asked[part], parts.asked.workers];
    await waitFor(
      () => parts.asked.workers,
      (count) => count > others + 3,
      'some more looks',
    );
    expect(parts.asked[part]).toBe(looks);
    parts.behaviour[part] = async () => undefined;
    silence.resolve();
    await waitFor(state, ({ status }) => status === 'ok', 'it to be ready again');
  },
);

test('an unknown worker state is reported as unknown', async () => {
  const parts = makeParts();
  parts.behaviour.workers = () => new Promise(() => undefined);
  const { state } = await start(parts);
  expect(state()).toMatchObject({ status: 'ok', workers: { registry: 'unknown' } });
});

test('a stale state counts as not ready', async () => {
  const parts = makeParts();
  const { state } = await start(parts, { everyMs: 1, deadlineMs: 60_000, staleMs: 100 });
  const silence = Promise.withResolvers<void>();
  parts.behaviour.database = () => silence.promise;
  const stale = await waitFor(state, ({ status }) => status !== 'ok', 'the state to be too old');
  expect(stale).toMatchObject({ database: 'unreachable', storage: 'unreachable', workers: { registry: 'unknown' } });
  silence.resolve();
  await waitFor(state, ({ status }) => status === 'ok', 'the look to come back');
});

test('after stop the check in progress ends, no new one starts, and the process is not ready', async () => {
  const parts = makeParts();
  const { state, stop } = await start(parts);
  await stop();
  const asked = { ...parts.asked };
  await new Promise((resolve) => setTimeout(resolve, 10 * quick.everyMs));
  expect(parts.asked).toEqual(asked);
  expect(state().status).toBe('unreachable');
});
