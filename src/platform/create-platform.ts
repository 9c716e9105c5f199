import type { Variables } from '../config.ts';
import { required } from '../config.ts';
import { createInspector } from '../files/inspector/inspector.ts';
import { createBank } from './bank/create-bank.ts';
import { sandboxClock, systemClock } from './clock.ts';
import { openDatabase } from './database/orm.ts';
import { createLog } from './log.ts';
import { createMailer } from './mail/create-mailer.ts';
import type { Platform } from './platform.ts';
import { createStorage } from './storage/create-storage.ts';
import { connectProcesses } from './workflows/temporal-processes.ts';

/** Builds what the domain needs from outside, from the configuration. Connections open when they are first used. */
export async function createPlatform(config: Variables, processName: string): Promise<Platform> {
  const log = createLog(processName, config.LOG_LEVEL);
  return {
    config,
    log,
    orm: await openDatabase(required(config, 'DATABASE_URL'), config.DATABASE_POOL),
    clock: config.SANDBOX ? sandboxClock : systemClock,
    processes: await connectProcesses(config, log),
    storage: createStorage(config),
    inspector: createInspector({ timeoutMs: 30_000, concurrency: 1 }),
    bank: createBank({
      url: config.BANK_URL,
      terminal: config.BANK_TERMINAL,
      secret: config.BANK_SECRET,
      timeoutMs: config.BANK_TIMEOUT_SECONDS * 1000,
    }),
    mailer: createMailer(config),
  };
}

/** Closes it in the order of use: who talks to whom stops first. */
export async function closePlatform(platform: Platform): Promise<void> {
  await platform.processes.close();
  await platform.inspector.close();
  await platform.orm.close(true);
}
