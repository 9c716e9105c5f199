import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { connectProcesses } from '../../src/platform/workflows/temporal-processes.ts';
import { startTestPlatform } from '../support/test-platform.ts';

const { platform, close } = await startTestPlatform();
afterAll(() => close());

/** The processes of a platform with other settings of Temporal. */
async function connect(settings: object) {
  const { log, config, definitions } = platform;
  const processes = await connectProcesses({ ...config, ...settings }, log, definitions, async () => undefined);
  afterAll(() => processes.close());
  return processes;
}

test('reports a queue without workers', () =>
  expect(platform.processes.checkWorkers('bank')).rejects.toThrow('No worker polled the queue bank within 90 seconds.'));

const away = await connect({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
const elsewhere = await connect({ TEMPORAL_NAMESPACE: 'nowhere' });

test('API-10: after Temporal is found unavailable, commands are refused within a second, until a check succeeds', async () => {
  for (const _ of ['first', 'second']) await expect(away.check()).rejects.toThrow('Cannot reach Temporal at 127.0.0.1:1');
  const startedAt = performance.now();
  await expect(away.ask(processRef('invoice', 1), 'reconsider', 'request')).rejects.toMatchObject({ code: 'workflow_unavailable' });
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  await expect(away.checkWorkers('bank')).rejects.toThrow('Temporal is away.');
});

test('a missing namespace is named', async () => {
  await expect(elsewhere.check()).rejects.toThrow(/namespace nowhere: the namespace does not exist/);
});
