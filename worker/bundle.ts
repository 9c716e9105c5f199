import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Path of the bundle that `npm run build:workflows` writes and production workers load. */
export const bundlePath = fileURLToPath(new URL('../dist/workflows.js', import.meta.url));
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const ownPath = fileURLToPath(import.meta.url);
const lockPath = fileURLToPath(new URL('../package-lock.json', import.meta.url));

/**
 * Bundles the workflows from source. Modules are loaded once for each worker, not for each process: this saves two thirds of a cached
 * process's memory. They have no state, which the linter checks.
 */
export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath], logger: new DefaultLogger('WARN') });
}

/**
 * Returns a worker's workflow code: in production the built and replay-tested bundle, elsewhere a bundle of the source, cached by content
 * so that a killed worker restarts quickly.
 * @throws in production without a bundle: untested code must not run
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
  // In a child process, because a worker would keep the bundler's hundred megabytes.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  await promisify(execFile)(process.execPath, [...flags, ownPath, path]);
  return path;
}

/** Writes the bundle atomically, because two processes may bundle at once. */
async function writeBundle(path: string): Promise<number> {
  const { code } = await bundleWorkflows();
  await mkdir(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${process.pid}`;
  await writeFile(temporaryPath, code);
  await rename(temporaryPath, path);
  return code.length;
}

/** Hashes all inputs of the bundle: workflows, packages and build code. */
async function hashSource(): Promise<string> {
  const folder = dirname(workflowsPath);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts')).toSorted();
  const hash = createHash('sha256');
  for (const path of [...names.map((name) => join(folder, name)), lockPath, ownPath]) hash.update(path).update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

if (import.meta.main) {
  const size = await writeBundle(process.argv[2] ?? bundlePath);
  process.stdout.write(`workflow bundle: ${Math.round(size / 1024)} KB\n`);
}
