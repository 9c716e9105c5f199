import { join } from 'node:path';
import { loadConfig, required } from '../../../registry/config.ts';
import { listen, runSimulator, type Simulator } from '../simulator.ts';
import { createPlatformApp } from './app.ts';
import { Deliveries } from './deliveries.ts';
import { Faults } from './faults.ts';
import { Phonebook, readMemory, storeMemory } from './phonebook.ts';
import { createTelephones } from './telephones.ts';

interface BotPlatformOptions {
  /** 0 selects a free port. */
  port: number;
  host?: string;
  /** Token of the bot. */
  token: string;
  username: string;
  /** File for telephones and webhook; by default in memory. */
  file?: string;
}

/**
 * Starts a messenger for development and tests: the bot's methods, updates to its webhook, pages of people's telephones, faults on demand.
 * @throws {Error} `EADDRINUSE` when another program uses the port; when `file` is unreadable
 */
export async function startBotPlatform({ port, host = '127.0.0.1', token, username, file }: BotPlatformOptions): Promise<Simulator> {
  const phonebook = new Phonebook(file === undefined ? null : await readMemory(file));
  const faults = new Faults();
  let store: (() => Promise<void>) | null = null;
  let stored: Promise<void> = Promise.resolve();
  const changed = (): Promise<void> => (stored = store?.() ?? stored);
  const deliveries = new Deliveries(phonebook, faults);
  const telephones = createTelephones(phonebook, deliveries, username, changed);
  const closing = new AbortController();
  const app = createPlatformApp({ token, username, phonebook, faults, deliveries, telephones, changed, closing: closing.signal });
  const simulator = await listen(app, port, host);
  // The port ensures that no other simulator writes this file.
  if (file !== undefined) store = storeMemory(file, phonebook.memory);
  return {
    ...simulator,
    close: async () => {
      closing.abort();
      await deliveries.stop();
      await simulator.close();
      await stored.catch(() => undefined);
    },
  };
}

if (import.meta.main) {
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
}
