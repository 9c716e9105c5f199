import { connectProcesses } from '../../src/platform/workflows/temporal-processes.ts';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { startTestPlatform } from '../support/test-platform.ts';

test('reports a queue without workers', async () => {
  const { platform, close } = await startTestPlatform();
  try {
    await expect(platform.processes.checkWorkers('bank')).rejects.toThrow('No worker polled the queue bank within 90 seconds.');
  } finally {
    await close();
  }
});

test('API-10: after Temporal is found unavailable, commands are refused within a second, until a check succeeds', async () => {
  const { platform, close } = await startTestPlatform();
  const { log, config } = platform;
  const away = await connectProcesses({ ...config, TEMPORAL_ADDRESS: '127.0.0.1:1' }, log, platform.definitions, async () => undefined);
  try {
    for (const _ of ['first', 'second']) await expect(away.check()).rejects.toThrow('Cannot reach Temporal at 127.0.0.1:1');
    const startedAt = performance.now();
    await expect(away.ask(processRef('invoice', 1), 'reconsider', 'request')).rejects.toMatchObject({ code: 'workflow_unavailable' });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await expect(away.checkWorkers('bank')).rejects.toThrow('Temporal is away.');
  } finally {
    await away.close();
    await close();
  }
});

test('a missing namespace is named', async () => {
  const { platform, close } = await startTestPlatform();
  const elsewhere = await connectProcesses({ ...platform.config, TEMPORAL_NAMESPACE: 'nowhere' }, platform.log, [], async () => undefined);
  try {
    await expect(elsewhere.check()).rejects.toThrow(/namespace nowhere: the namespace does not exist/);
  } finally {
    await elsewhere.close();
    await close();
  }
});
