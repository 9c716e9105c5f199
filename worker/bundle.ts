import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Paths of the bundles that `npm run build:workflows` writes and production workers load: the second one when traces are exported. */
export const bundlePath = fileURLToPath(new URL('../dist/workflows.js', import.meta.url));
const tracedBundlePath = fileURLToPath(new URL('../dist/workflows-traced.js', import.meta.url));
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const ownPath = fileURLToPath(import.meta.url);
const lockPath = fileURLToPath(new URL('../package-lock.json', import.meta.url));

/**
 * Bundles the workflows from source. Modules are loaded once for each worker, not for each process: this saves two thirds of a cached
 * process's memory. They have no state, which the linter checks.
 * @param isTraced whether workflows export traces; the interceptors have state, so each process loads them
 */
async function bundleWorkflows(isTraced: boolean): Promise<WorkflowBundleWithSourceMap> {
  const interceptors = '@temporalio/interceptors-opentelemetry-v2/lib/workflow-interceptors';
  return bundleWorkflowCode({
    workflowsPath,
    preloadModules: [workflowsPath],
    logger: new DefaultLogger('WARN'),
    ...(isTraced ? { workflowInterceptorModules: [createRequire(import.meta.url).resolve(interceptors)] } : {}),
  });
}

/**
 * Returns a worker's workflow code: in production the built and replay-tested bundle, elsewhere a bundle of the source, cached by content
 * so that a killed worker restarts quickly.
 * @throws in production without a bundle: untested code must not run
 */
export async function workflowCode(isProduction: boolean, dataDir: string, isTraced = false): Promise<{ codePath: string }> {
  if (!isProduction) return { codePath: await bundleOnce(dataDir, isTraced) };
  const codePath = isTraced ? tracedBundlePath : bundlePath;
  if (!existsSync(codePath)) throw new Error('the workflow bundle is missing: run npm run build:workflows');
  return { codePath };
}

async function bundleOnce(dataDir: string, isTraced: boolean): Promise<string> {
  const path = join(dataDir, `workflows-${isTraced ? 'traced-' : ''}${await hashSource()}.js`);
  if (existsSync(path)) return path;
  await mkdir(dataDir, { recursive: true });
  // In a child process, because a worker would keep the bundler's hundred megabytes.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  await promisify(execFile)(process.execPath, [...flags, ownPath, path, ...(isTraced ? ['traced'] : [])]);
  return path;
}

/** Writes the bundle atomically, because two processes may bundle at once. */
async function writeBundle(path: string, isTraced: boolean): Promise<void> {
  const { code } = await bundleWorkflows(isTraced);
  await mkdir(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${process.pid}`;
  await writeFile(temporaryPath, code);
  await rename(temporaryPath, path);
  process.stdout.write(`workflow bundle: ${path}, ${Math.round(code.length / 1024)} KB\n`);
}

/** Hashes all inputs of the bundle: workflows with their contracts, packages and build code; not where the project lies. */
export async function hashSource(folder = dirname(workflowsPath)): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).toSorted();
  const hash = createHash('sha256');
  for (const name of names) hash.update(name).update(await readFile(join(folder, name)));
  for (const path of [lockPath, ownPath]) hash.update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

if (import.meta.main) {
  const [path, traced] = process.argv.slice(2);
  if (path !== undefined) await writeBundle(path, traced === 'traced');
  else {
    await writeBundle(bundlePath, false);
    await writeBundle(tracedBundlePath, true);
  }
}
