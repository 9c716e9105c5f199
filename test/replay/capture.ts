/**
 * `npm run replay:capture -- <workflow type> ...`, or `all`: plays the scenarios of these types on a throwaway stack and stores the
 * histories of their processes. What is stored already stays as it is; when nothing is left to store, that is an error.
 */
import { Client, Connection } from '@temporalio/client';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../src/registry/config.ts';
import { closePlatform, createPlatform } from '../../src/registry/create-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { streamProgress } from '../../src/tools/embedded/progress.ts';
import { type Stack, startThrowawayStack } from '../../src/tools/embedded/stack.ts';
import { captchaAnswer } from '../support/identities/captcha-answer.ts';
import { TestClient } from '../support/client.ts';
import { athleteData, fixturesByRequests } from '../support/factories.ts';
import { scenarios, type Stage } from './scenarios.ts';
import { pathOf, storeHistory } from './stored-history.ts';

const wanted = new Set(process.argv.slice(2));
const types = new Set(scenarios.map(({ workflowType }) => workflowType));
const unknown = [...wanted].filter((type) => type !== 'all' && !types.has(type));
const chosen = scenarios.filter(({ workflowType }) => wanted.has('all') || wanted.has(workflowType));
const missing = chosen.filter(({ workflowType, name }) => !existsSync(pathOf(workflowType, name)));

if (wanted.size === 0 || unknown.length > 0) {
  process.stderr.write(`name a workflow type, or all: ${[...types].join(', ')}\n`);
  process.exitCode = 1;
} else if (missing.length === 0) {
  process.stderr.write('every scenario of that type is stored, and a stored history is never made anew; add a scenario for what is new\n');
  process.exitCode = 1;
} else {
  await capture();
}

async function capture(): Promise<void> {
  const stack = await startThrowawayStack({
    progress: streamProgress(process.stdout),
    env: {
      SANDBOX: 'true',
      CAPTCHA_FIXED_ANSWER: captchaAnswer,
      RATE_LIMIT_KEY_PER_MINUTE: '100000',
      RATE_LIMIT_PUBLIC_PER_MINUTE: '100000',
      RATE_LIMIT_CALLBACKS_PER_MINUTE: '100000',
      RATE_LIMIT_SESSIONS_PER_10_MINUTES: '100000',
      RATE_LIMIT_RESETS_PER_HOUR: '100000',
    },
  });
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const platform = await createPlatform(loadConfig(stack.env), 'capture');
  try {
    const engine = new Client({ connection, namespace: stack.config.TEMPORAL_NAMESPACE });
    const stage = await setStage(stack, engine, platform);
    for (const { workflowType, name, play } of missing) {
      const workflowId = await play(stage);
      await settled(engine, workflowId);
      const history = await engine.workflow.getHandle(workflowId).fetchHistory();
      storeHistory(pathOf(workflowType, name), history, [athleteData.last_name, athleteData.first_name, athleteData.city, '@example.kz']);
      process.stdout.write(`${workflowType}/${name}: ${history.events?.length ?? 0} events\n`);
    }
  } finally {
    await closePlatform(platform);
    await connection.close();
    await stack.stop();
  }
}

async function setStage(stack: Stack, engine: Client, platform: Platform): Promise<Stage> {
  const administrator = new TestClient(stack.baseUrl);
  await administrator.login(stack.administrator.email, stack.administrator.password);
  let people = 0;
  const user = async (name = 'Athlete') => {
    people += 1;
    const client = new TestClient(stack.baseUrl);
    await client.register(`capture${people}@example.kz`, name);
    return client;
  };
  return {
    bankUrl: stack.bankUrl,
    engine,
    administrator,
    platform,
    make: fixturesByRequests({ user, administrator: async () => administrator, surroundings: { bank: { url: stack.bankUrl } } }),
    async hideFile(content) {
      const folder = join(stack.dataDir, 'files');
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (!entry.isFile() || !(await readFile(path)).equals(content)) continue;
        const hidden = join(stack.dataDir, entry.name);
        await rename(path, hidden);
        return () => rename(hidden, path);
      }
      throw new Error('no stored file has these bytes');
    },
    today: async () => (await administrator.get('/sandbox/clock')).body.data.now.slice(0, 10),
    async travelTo(instant) {
      administrator.expect(200, await administrator.put('/sandbox/clock', { now: instant }));
      administrator.expect(200, await administrator.post('/sandbox/sweep'));
    },
  };
}

/** Waits until the engine has nothing under way for the workflow: the history ends where a process sleeps or is over. */
async function settled(engine: Client, workflowId: string): Promise<void> {
  const handle = engine.workflow.getHandle(workflowId);
  for (let length = -1; ;) {
    const { historyLength, raw } = await handle.describe();
    const isBusy = (raw.pendingActivities?.length ?? 0) > 0 || Boolean(raw.pendingWorkflowTask);
    if (!isBusy && historyLength === length) return;
    length = historyLength;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
