import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Where `npm run build:workflows` lays the bundle that production workers load. */
export const bundlePath = fileURLToPath(new URL('../dist/workflows.js', import.meta.url));
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const ownPath = fileURLToPath(import.meta.url);
const lockPath = fileURLToPath(new URL('../package-lock.json', import.meta.url));

/**
 * Bundles the workflows as they stand in the source. Their modules are loaded once for a worker, not for each process: that is two thirds of
 * what a process in the cache takes, and a tenth of its beginning. They hold no state, which the linter sees to.
 */
export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath], logger: new DefaultLogger('WARN') });
}

/**
 * The code a worker runs: in production the bundle that was built and replay-tested with the release, elsewhere the source,
 * bundled once for each state of it, so that a worker that was killed is back soon.
 * @throws when production has no bundle: running something else than what was tested is worse than not starting
 */
export async function workflowCode(isProduction: boolean, dataDir: string): Promise<{ codePath: string }> {
  if (!isProduction) return { codePath: await bundleOnce(dataDir) };
  if (!existsSync(bundlePath)) throw new Error('the workflow bundle is missing: run npm run build:workflows');
  return { codePath: bundlePath };
}

async function bundleOnce(dataDir: string): Promise<string> {
  const path = join(dataDir, `workflows-${await hashSource()}.js`);
  if (existsSync(path)) return path;
  await mkdir(dataDir, { recursive: true });
  // In a process of its own: the bundler takes a hundred megabytes, which a worker would hold for its whole life.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  await promisify(execFile)(process.execPath, [...flags, ownPath, path]);
  return path;
}

/** Two may bundle at once; each lays down a whole file. */
async function layDown(path: string): Promise<number> {
  const { code } = await bundleWorkflows();
  await mkdir(dirname(path), { recursive: true });
  const half = `${path}.${process.pid}`;
  await writeFile(half, code);
  await rename(half, path);
  return code.length;
}

/** Of everything that reaches the bundle: the workflows (they import nothing else of ours but types), the packages, and how it is made. */
async function hashSource(): Promise<string> {
  const folder = dirname(workflowsPath);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts')).toSorted();
  const hash = createHash('sha256');
  for (const path of [...names.map((name) => join(folder, name)), lockPath, ownPath]) hash.update(path).update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

if (import.meta.main) {
  const size = await layDown(process.argv[2] ?? bundlePath);
  process.stdout.write(`workflow bundle: ${Math.round(size / 1024)} KB\n`);
}
