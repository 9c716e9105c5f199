import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';

/** Where `npm run build:workflows` lays the bundle that production workers load. */
export const bundlePath = fileURLToPath(new URL('../dist/workflows.js', import.meta.url));
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** Bundles the workflows as they stand in the source. */
export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
}

/**
 * The code a worker runs: in production the bundle that was built and replay-tested with the release, elsewhere the source.
 * @throws when production has no bundle: running something else than what was tested is worse than not starting
 */
export async function workflowCode(isProduction: boolean): Promise<{ codePath: string } | WorkflowBundleWithSourceMap> {
  if (!isProduction) return bundleWorkflows();
  if (!existsSync(bundlePath)) throw new Error('the workflow bundle is missing: run npm run build:workflows');
  return { codePath: bundlePath };
}

if (import.meta.main) {
  const { code } = await bundleWorkflows();
  await mkdir(dirname(bundlePath), { recursive: true });
  await writeFile(bundlePath, code);
  process.stdout.write(`workflow bundle: ${Math.round(code.length / 1024)} KB\n`);
}
