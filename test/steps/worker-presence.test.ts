import { loadConfig } from '../../src/config.ts';
import { connectProcesses } from '../../src/platform/workflows/temporal-processes.ts';
import { startTestPlatform } from '../support/test-platform.ts';

test('reports a queue without workers, and "unknown" while Temporal is away', async () => {
  const { platform, close } = await startTestPlatform();
  try {
    expect(await platform.processes.findWorkers()).toEqual({
      registry: 'absent',
      documents: 'absent',
      competitions: 'absent',
      certificates: 'absent',
      exports: 'absent',
      bank: 'absent',
      messages: 'absent',
      maintenance: 'absent',
    });
    const away = await connectProcesses(loadConfig({ TEMPORAL_ADDRESS: '127.0.0.1:1' }), platform.log, []);
    const startedAt = Date.now();
    expect(await away.findWorkers()).toEqual({
      registry: 'unknown',
      documents: 'unknown',
      competitions: 'unknown',
      certificates: 'unknown',
      exports: 'unknown',
      bank: 'unknown',
      messages: 'unknown',
      maintenance: 'unknown',
    });
    expect(Date.now() - startedAt).toBeLessThan(8_000);
    await away.close();
  } finally {
    await close();
  }
});
