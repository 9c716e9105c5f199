import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { makeSurroundings, type TestSurroundings } from '../support/test-platform.ts';
import { waitFor } from '../support/wait-for.ts';

let surroundings: TestSurroundings;
beforeAll(async () => {
  surroundings = await makeSurroundings();
});
afterAll(() => surroundings.close());

test('a worker without Temporal waits, names address and namespace, and stops in order', async () => {
  const { config } = surroundings;
  const [port] = await freePorts(1);
  const worker = spawn(process.execPath, ['worker/main.ts'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      NODE_ENV: 'test',
      METRICS_PORT: String(port),
      DATA_DIR: config.DATA_DIR,
      DATABASE_URL: config.DATABASE_URL,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      TEMPORAL_NAMESPACE: 'federation',
      SESSION_SECRET: config.SESSION_SECRET,
    },
  });
  const ended = once(worker, 'exit');
  const log = text(worker.stdout);
  const probe = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      async (answer) => ({ status: answer.status, body: await answer.json() }),
      () => null,
    );
  const words = 'Cannot reach Temporal at 127.0.0.1:1, namespace federation (no answer). Check TEMPORAL_ADDRESS and TEMPORAL_TLS_*.';
  const ready = await waitFor(
    () => probe('/health/ready'),
    (answer) => answer !== null,
    'the worker to answer probes',
  );
  expect(ready).toEqual({ status: 503, body: { data: { status: 'not_ready', reason: words } } });
  expect(await probe('/health/live')).toMatchObject({ status: 200 });
  worker.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await log).toContain(JSON.stringify(words));
});
