import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startApi } from '../../src/api.ts';
import { makeSurroundings, type TestSurroundings } from '../support/test-platform.ts';
import { waitFor } from '../support/wait-for.ts';

let surroundings: TestSurroundings;
beforeAll(async () => {
  surroundings = await makeSurroundings();
});
afterAll(() => surroundings.close());

const statusOf = (path: string) =>
  fetch(`${surroundings.config.BASE_URL}${path}`).then(
    ({ status }) => status,
    () => null,
  );

test('from SIGTERM on an API is not ready and serves on, then ends in order; a second SIGTERM changes nothing', async () => {
  const { config } = surroundings;
  const api = spawn(process.execPath, ['src/api.ts'], {
    stdio: 'ignore',
    env: {
      NODE_ENV: 'test',
      PORT: String(config.PORT),
      DATA_DIR: config.DATA_DIR,
      DATABASE_URL: config.DATABASE_URL,
      TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS,
      TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE,
      SESSION_SECRET: config.SESSION_SECRET,
      SHUTDOWN_DELAY_SECONDS: '3',
    },
  });
  const ended = once(api, 'exit');
  await waitFor(
    () => statusOf('/health/ready'),
    (status) => status === 200,
    'the API to be ready',
  );
  api.kill('SIGTERM');
  await waitFor(
    () => statusOf('/health/ready'),
    (status) => status === 503,
    'the API to be retired',
  );
  api.kill('SIGTERM');
  expect(await statusOf('/api/v1/catalog')).toBe(200);
  expect(await ended).toEqual([0, null]);
  expect(await statusOf('/health/live')).toBeNull();
});

test('a request that arrives while a busy API begins to stop is answered', async () => {
  const { config } = surroundings;
  const api = await startApi(config, 0);
  const connected = join(config.DATA_DIR, 'connected');
  const program = `
    const request = require('node:http').get('${api.url}/health/live', { agent: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
    request.on('error', () => process.exit(2));
    request.on('socket', (socket) => socket.on('connect', () => require('node:fs').writeFileSync('${connected}', '')));
  `;
  const client = spawn(process.execPath, ['-e', program], { stdio: 'inherit' });
  const answered = once(client, 'exit');
  // The operating system completes the connection; the process has no time to take it.
  while (!existsSync(connected));
  await api.close();
  expect(await answered).toEqual([0, null]);
});
