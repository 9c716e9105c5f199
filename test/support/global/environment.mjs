/**
 * Where test files run: Jest's own environment for Node. It also sees to it that a test process does not outlive the run. Jest ends
 * without waiting for its test processes when a run is given up (`--bail`, Ctrl-C, a crash), and a process in which a service listens
 * never ends by itself.
 */
import { TestEnvironment } from 'jest-environment-node';
import { subscribe } from 'node:diagnostics_channel';

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

// Where a file runs in Jest's main process, there is no channel and this never happens.
process.once('disconnect', endWithJest);
// Jest has no more files for this process and stops listening. It waits for the process to end, which the listener above would prevent.
process.on('removeListener', (name) => {
  if (name === 'message') process.removeListener('disconnect', endWithJest);
});

export default TestEnvironment;
