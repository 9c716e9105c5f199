import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Variables } from '../config.ts';
import type { Inspector } from '../files/inspector/inspector.ts';
import type { Bank } from './bank/bank.ts';
import type { Clock } from './clock.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Processes } from './workflows/processes.ts';
import type { Storage } from './storage/storage.ts';

/** What the domain needs from outside, built once by each process's entry and handed down; nothing here is a global. */
export interface Platform {
  readonly config: Variables;
  readonly log: Logger;
  readonly orm: MikroORM;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly storage: Storage;
  readonly inspector: Inspector;
  readonly bank: Bank;
  readonly mailer: Mailer;
}
