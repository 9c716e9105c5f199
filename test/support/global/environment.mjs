import { subscribe } from 'node:diagnostics_channel';

/**
 * Where test files run: with Node's own globals, as `runtime.mjs` loads them. It also ends a test process with the run. Jest does not wait for
 * its test processes when a run is given up (`--bail`, Ctrl-C, a crash), and a process in which a service listens never ends by itself.
 */

const children = new Set();

subscribe('child_process', ({ process: child }) => {
  children.add(child);
  child.once('exit', () => children.delete(child));
});

/** Jest's main process is gone. */
function endWithJest() {
  for (const child of children) child.kill('SIGTERM');
  process.exit(1);
}

// A file that runs in Jest's main process has no channel, and neither happens.
process.once('disconnect', endWithJest);
// Jest has no more files for this process and stops listening.
process.on('removeListener', (name) => {
  if (name === 'message') process.exit();
});

/** Errors that the service under test logs (`../failures.ts`), by their cause. */
const failures = new Set();
subscribe('registry:failure', (line) => failures.add(line));

/** Adds them to the error of a test, which shows only a status such as 500. */
function explain(error) {
  if (!(error instanceof Error) || failures.size === 0) return;
  const { message, stack = '' } = error;
  error.message = [message, '', 'The service logged:', ...[...failures].slice(0, 5)].join('\n');
  error.stack = stack.includes(message) ? stack.replace(message, () => error.message) : `${error.message}\n${stack}`;
}

const { console } = globalThis;
const { exit } = process;

export default class NodeEnvironment {
  global = globalThis;
  async setup() {
    // Jest sets a hundred, which each error of the service would pay for. It shortens paths, but not the URLs of modules.
    Error.stackTraceLimit = 20;
    Error.prepareStackTrace = (error, frames) =>
      [error, ...frames.map(String).map((frame) => `    at ${frame}`)].join('\n').replaceAll('file://', '');
  }
  handleTestEvent({ name, error }) {
    if (name === 'test_start') failures.clear();
    if (name === 'test_fn_failure' || name === 'hook_failure') explain(error);
  }
  async teardown() {
    globalThis.console = console;
    process.exit = exit;
  }
  getVmContext() {
    return null;
  }
}
