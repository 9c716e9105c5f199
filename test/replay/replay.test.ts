import { type ReplayHistoriesIterable, Worker } from '@temporalio/worker';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { workflowCode } from '../../worker/bundle.ts';
import * as workflows from '../../workflows/index.ts';
import { athleteData } from '../support/factories.ts';
import { workflowBundlePath } from '../support/servers.ts';
import { installTemporalRuntime } from '../support/temporal-runtime.ts';
import { openPayloads } from './readable-history.ts';
import { scenarios } from './scenarios.ts';
import { listHistories, nameOf, readHistory } from './stored-history.ts';

/**
 * The gate for changes of workflows: what ran under an earlier release must run on under this one. A history that does not replay is a
 * change that running processes cannot follow; it belongs under `patched()`. Never capture it anew to go green.
 */
const workflowTypes = Object.keys(workflows).sort();
const stored = workflowTypes.flatMap((workflowType) =>
  listHistories(workflowType).map((path) => ({ workflowType, name: nameOf(path), path })),
);
const largestBytes = 250_000;

beforeAll(installTemporalRuntime);

type HistoryAndId = ReplayHistoriesIterable extends AsyncIterable<infer One> | Iterable<infer One> ? One : never;

/** Takes the spans of workflows with traces. */
const sinks = { exporter: { export: { fn: () => undefined } } };

/** @returns what does not replay, by name, with its reason */
async function replay(histories: HistoryAndId[], codePath?: string): Promise<Record<string, string>> {
  const failures: Record<string, string> = {};
  const bundle = { codePath: codePath ?? (await workflowBundlePath()) };
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: bundle, replayName: 'gate', sinks }, histories)) {
    if (error) failures[workflowId] = error.message;
  }
  return failures;
}

test.each(workflowTypes)('%s has a stored history', (workflowType) => {
  expect(listHistories(workflowType).length).toBeGreaterThan(0);
});

test('every scenario is stored', () => {
  const missing = scenarios.filter(({ workflowType, name }) => !listHistories(workflowType).map(nameOf).includes(name));
  expect(missing.map(({ workflowType, name }) => `${workflowType}/${name}`)).toEqual([]);
});

test('every stored history replays with the workflows as they are now', async () => {
  const histories = stored.map(({ workflowType, name, path }) => ({ workflowId: `${workflowType}/${name}`, history: readHistory(path) }));
  expect(histories.length).toBeGreaterThanOrEqual(scenarios.length);
  expect(await replay(histories)).toEqual({});
});

test('every stored history replays with traces', async () => {
  const { codePath } = await workflowCode(false, join(projectDirectory, 'node_modules', '.cache', 'workflows'), true);
  const histories = stored.map(({ workflowType, name, path }) => ({ workflowId: `${workflowType}/${name}`, history: readHistory(path) }));
  expect(await replay(histories, codePath)).toEqual({});
});

test('the gate closes: a history of steps that the workflow would not take does not replay', async () => {
  const [path = ''] = listHistories('applicationLifecycle');
  const history = readHistory(path);
  const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes)?.activityTaskScheduledEventAttributes;
  if (!scheduled?.activityType) throw new Error('the history has no step');
  scheduled.activityType.name = 'anotherStep';
  expect(Object.keys(await replay([{ workflowId: 'changed', history }]))).toEqual(['changed']);
});

test.each(stored)('$workflowType/$name is small and says nothing of people or machines', ({ path }) => {
  expect(statSync(path).size).toBeLessThan(largestBytes);
  const text = openPayloads(readFileSync(path, 'utf8'));
  const words = [athleteData.last_name, athleteData.first_name, athleteData.city, '@example.kz', 'node_modules', '.ts:'];
  expect(words.filter((word) => text.includes(word))).toEqual([]);
});
