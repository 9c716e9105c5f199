import { join } from 'node:path';
import { baseUrl, loadConfig, required } from '../../../config.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { exitWithParent, reportReady } from '../../../platform/exit-with-parent.ts';
import { startBankSimulator } from './server.ts';

const config = loadConfig();

try {
  if (config.NODE_ENV === 'production') throw new Error('the simulator accepts payments that no bank made; it refuses NODE_ENV=production');
  const bank = await startBankSimulator({
    port: config.BANK_SIMULATOR_PORT,
    host: config.HOST,
    terminal: required(config, 'BANK_TERMINAL'),
    secret: required(config, 'BANK_SECRET'),
    callbackUrl: `${baseUrl(config)}/api/v1/bank/callback`,
    file: join(config.DATA_DIR, 'bank-simulator.json'),
  });
  exitWithParent(() => bank.close());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bank.close().finally(() => process.exit(0)));
  reportReady();
} catch (error) {
  const isTaken = errorCode(error) === 'EADDRINUSE';
  const reason = isTaken
    ? `port ${config.BANK_SIMULATOR_PORT} is taken: stop the program that holds it, or set BANK_SIMULATOR_PORT`
    : error instanceof Error
      ? error.message
      : String(error);
  process.stderr.write(`bank simulator: ${reason}\n`);
  process.exit(1);
}
