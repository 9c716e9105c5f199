import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Variables } from '../registry/config.ts';
import type { Bank } from './bank/bank.ts';
import type { Bot } from './bot/bot.ts';
import type { Brand } from './brand/brand.ts';
import type { Clock } from './time/clock.ts';
import type { RunningRequests } from './database/running-requests.ts';
import type { Extensions } from './extensions.ts';
import type { Inspector } from './inspector/inspector.ts';
import type { LiveStreams } from './runtime/live-streams.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Outgoing } from './outgoing/outgoing.ts';
import type { Drawing } from './pdf/drawing.ts';
import type { Scanner } from './scanner/scanner.ts';
import type { RequestRecords } from './commands/request-records.ts';
import type { SecurityLog } from './logging/security-log.ts';
import type { Storage } from './storage/storage.ts';
import type { ProcessDefinition } from './workflows/define-process.ts';
import type { Outbox } from './workflows/outbox.ts';
import type { Processes } from './workflows/processes.ts';

/** The domain's external dependencies. Each process creates them once and passes them down; none is global. */
export interface Platform {
  readonly config: Variables;
  readonly brand: Brand;
  readonly log: Logger;
  readonly orm: MikroORM;
  readonly clock: Clock;
  /** All kinds of processes, from the areas. */
  readonly definitions: readonly ProcessDefinition[];
  readonly processes: Processes;
  readonly outbox: Outbox;
  /** All extensions of the areas. */
  readonly extensions: Extensions;
  readonly storage: Storage;
  readonly drawing: Drawing;
  readonly inspector: Inspector;
  /** Null when uploads are not scanned for viruses. */
  readonly scanner: Scanner | null;
  readonly bank: Bank;
  /** Null when the messaging bot is disabled. */
  readonly bot: Bot | null;
  readonly mailer: Mailer;
  readonly outgoing: Outgoing;
  readonly securityLog: SecurityLog;
  readonly requestRecords: RequestRecords;
  readonly streams: LiveStreams;
  readonly runningRequests: RunningRequests;
}
