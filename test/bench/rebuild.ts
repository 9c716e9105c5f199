import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../src/tools/embedded/scripts.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { waitFor } from '../support/wait-for.ts';
import { withTemporal } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { say, type Verdict } from './support/report.ts';

const goal = 150;
const program = fileURLToPath(new URL('../../src/processes.main.ts', import.meta.url));

/**
 * `npm run processes:rebuild` on a registry whose processes were lost: living records, none of which has one, half of them applications in
 * force and half documents with a last day. The time is that of the whole program, its start included; a worker serves beside it.
 */
export async function benchRebuild(stack: Stack, records: number): Promise<Verdict[]> {
  await insertCertificates(stack.migrationDatabaseUrl, Math.ceil(records / 2), 0);
  const before = await countRunning(stack);
  const startedAt = performance.now();
  await runRebuild(stack);
  const seconds = (performance.now() - startedAt) / 1000;
  const started = (await waitForRunning(stack, before + records)) - before;
  const rate = started / seconds;
  say(`  ${started} processes started in ${seconds.toFixed(1)} s`);
  return [
    {
      what: `processes started by the rebuild of ${records} living records, a second`,
      goal: `>= ${goal}`,
      measured: rate.toFixed(0),
      isMet: rate >= goal,
    },
  ];
}

/** Runs the program to its end. @throws when it fails */
export async function runRebuild(stack: Stack): Promise<void> {
  const child = spawn(process.execPath, [...nodeFlags, program, 'rebuild'], { env: stack.env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the rebuild ended with code ${code}`);
}

/** The list of processes that Temporal keeps follows what happened a moment later. */
function waitForRunning(stack: Stack, count: number): Promise<number> {
  return waitFor(
    () => countRunning(stack),
    (seen) => seen >= count,
    `${count} running processes`,
  );
}

async function countRunning(stack: Stack): Promise<number> {
  const query = `ExecutionStatus = 'Running' AND WorkflowType IN ('applicationLifecycle', 'documentReview')`;
  return withTemporal(stack, stack.config.TEMPORAL_NAMESPACE, async (client) => (await client.workflow.count(query)).count);
}
