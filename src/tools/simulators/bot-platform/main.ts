import { join } from 'node:path';
import { loadConfig, required } from '../../../config.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { exitWithParent, reportReady } from '../../../platform/exit-with-parent.ts';
import { startBotPlatform } from './server.ts';

const config = loadConfig();

try {
  const platform = await startBotPlatform({
    port: config.BOT_SIMULATOR_PORT,
    host: config.HOST,
    token: required(config, 'BOT_TOKEN'),
    username: required(config, 'BOT_USERNAME'),
    file: join(config.DATA_DIR, 'bot-platform-simulator.json'),
  });
  exitWithParent(() => platform.close());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void platform.close().finally(() => process.exit(0)));
  reportReady();
} catch (error) {
  const isTaken = errorCode(error) === 'EADDRINUSE';
  const reason = isTaken
    ? `port ${config.BOT_SIMULATOR_PORT} is taken: stop the program that holds it, or set BOT_SIMULATOR_PORT`
    : error instanceof Error
      ? error.message
      : String(error);
  process.stderr.write(`bot platform simulator: ${reason}\n`);
  process.exit(1);
}
