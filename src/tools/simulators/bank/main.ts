import { join } from 'node:path';
import { baseUrl, loadConfig, required } from '../../../config.ts';
import { runSimulator } from '../simulator.ts';
import { startBankSimulator } from './server.ts';

const config = loadConfig();
await runSimulator('bank simulator', { variable: 'BANK_SIMULATOR_PORT', number: config.BANK_SIMULATOR_PORT }, async () => {
  if (config.NODE_ENV === 'production') throw new Error('the simulator accepts payments that no bank made; it refuses NODE_ENV=production');
  return startBankSimulator({
    port: config.BANK_SIMULATOR_PORT,
    host: config.HOST,
    terminal: required(config, 'BANK_TERMINAL'),
    secret: required(config, 'BANK_SECRET'),
    callbackUrl: `${baseUrl(config)}/api/v1/bank/callback`,
    file: join(config.DATA_DIR, 'bank-simulator.json'),
  });
});
