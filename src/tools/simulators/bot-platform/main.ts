import { join } from 'node:path';
import { loadConfig, required } from '../../../config.ts';
import { runSimulator } from '../simulator.ts';
import { startBotPlatform } from './server.ts';

const config = loadConfig();
await runSimulator('bot platform simulator', { variable: 'BOT_SIMULATOR_PORT', number: config.BOT_SIMULATOR_PORT }, () =>
  startBotPlatform({
    port: config.BOT_SIMULATOR_PORT,
    host: config.HOST,
    token: required(config, 'BOT_TOKEN'),
    username: required(config, 'BOT_USERNAME'),
    file: join(config.DATA_DIR, 'bot-platform-simulator.json'),
  }),
);
