import { randomUUID } from 'node:crypto';
import { definitions, extensions as ofAreas } from './areas.ts';
import { RequestRecorder } from '../areas/accounts/index.ts';
import { SecurityRecorder } from '../areas/audit/index.ts';
import { DatabaseStreams } from '../areas/notifications/index.ts';
import { recordQuotas } from '../areas/profiles/index.ts';
import { required, requireBotVariables, type Variables } from './config.ts';
import { needsOf } from './process-needs.ts';
import { extend } from '../platform/extensions.ts';
import { createBank } from '../platform/bank/http-bank.ts';
import { createBot } from '../platform/bot/grammy-bot.ts';
import { loadBrand } from '../platform/brand/brand.ts';
import { sandboxClock, systemClock } from '../platform/time/clock.ts';
import { query } from '../platform/commands/command.ts';
import { openRegistry } from './open-registry.ts';
import type { DatabaseTimeouts } from '../platform/database/orm.ts';
import { RunningRequests } from '../platform/database/running-requests.ts';
import { createInspector } from '../platform/inspector/inspector.ts';
import { causeOf, createLog } from '../platform/logging/log.ts';
import { createMailer } from '../platform/mail/create-mailer.ts';
import { measureCalls } from '../platform/metrics/registry.ts';
import { createOutgoing } from '../platform/outgoing/outgoing.ts';
import { createDrawing } from '../platform/pdf/drawing.ts';
import type { Platform } from '../platform/platform.ts';
import { createScanner } from '../platform/scanner/clamd-scanner.ts';
import { createStorage, unusedStorage } from '../platform/storage/create-storage.ts';
import { startTracing, stopTracing, tracing } from '../platform/tracing/tracing.ts';
import { recordTrouble, workflowTaskStep } from '../platform/workflows/process-troubles.ts';
import { DeliveringOutbox, type WakeUp } from '../platform/workflows/outbox.ts';
import type { Processes } from '../platform/workflows/processes.ts';
import { connectProcesses } from '../platform/workflows/temporal-processes.ts';

/** Lock timeout below the five seconds of a command step (`workflows/activity-profiles.ts`). */
export const databaseTimeouts: DatabaseTimeouts = { lockMs: 4_000, statementMs: 10_000, answerMs: 12_000 };

/** Timeout of one call to the bot platform. Only activities and background work wait for it. */
const botTimeoutMs = 5_000;

/**
 * Creates the platform from the configuration. Connections open at first use.
 * @param needs what this process uses; storage, bank and bot refuse in a process that does not use them
 * @throws {ConfigurationError} when a required variable is missing
 */
export async function createPlatform(config: Variables, processName: string, needs = needsOf('all')): Promise<Platform> {
  if (needs.has('bot')) requireBotVariables(config);
  const brand = loadBrand(config.BRAND_FILE);
  await startTracing(config, processName);
  const log = createLog(processName, config.LOG_LEVEL);
  tracing?.onFailure((error) => log.warn({ cause: causeOf(error) }, 'the receiver of traces does not take them'));
  const orm = await openRegistry(namedConnections(required(config, 'DATABASE_URL'), processName), config.DATABASE_POOL, databaseTimeouts);
  const scanner = createScanner(config);
  const clock = config.SANDBOX ? sandboxClock : systemClock;
  const connected = await connectProcesses(config, log, definitions, (ref, code) =>
    query({ orm, clock }, (db, now) => recordTrouble(db, { process: ref, step: workflowTaskStep }, { code, isFinal: true }, now)),
  );
  const processes = measureCalls('temporal', connected, ['command', 'ask', 'wake', 'start', 'find']);
  const extensions = ofAreas.with(extend(recordQuotas, { profiles: config.QUOTA_PROFILES, documents: config.QUOTA_DOCUMENTS }));
  return {
    config,
    brand,
    log,
    orm,
    clock,
    definitions,
    processes,
    outbox: new DeliveringOutbox(orm, (wakeUp) => deliver(processes, wakeUp), log),
    extensions,
    storage: measureCalls('storage', needs.has('files') ? await createStorage(config) : unusedStorage, ['put', 'get', 'stat', 'delete']),
    drawing: createDrawing(),
    inspector: createInspector({ timeoutMs: 5_000, concurrency: 2 }),
    scanner: scanner && measureCalls('scanner', scanner, ['scan']),
    bank: measureCalls(
      'bank',
      createBank({
        url: needs.has('bank') ? config.BANK_URL : undefined,
        formUrl: config.BANK_FORM_URL,
        terminal: config.BANK_TERMINAL,
        secret: config.BANK_SECRET,
        timeoutMs: config.BANK_TIMEOUT_SECONDS * 1000,
      }),
      ['queryStatus'],
    ),
    bot: createBot({
      token: needs.has('bot') ? config.BOT_TOKEN : undefined,
      apiUrl: config.BOT_API_URL,
      username: config.BOT_USERNAME,
      timeoutMs: botTimeoutMs,
    }),
    mailer: measureCalls('smtp', createMailer(config), ['send']),
    outgoing: createOutgoing(config),
    securityLog: new SecurityRecorder({ orm, clock, log }),
    requestRecords: new RequestRecorder({ orm, log }),
    streams: new DatabaseStreams({ config, orm, clock, log, extensions }),
    runningRequests: new RunningRequests(required(config, 'DATABASE_URL'), databaseTimeouts),
  };
}

/** Names the connections of this process, so that `pg_stat_activity` shows whose they are. */
function namedConnections(databaseUrl: string, processName: string): string {
  const url = new URL(databaseUrl);
  if (!url.searchParams.has('application_name'))
    url.searchParams.set('application_name', `registry ${processName} ${randomUUID().slice(0, 8)}`);
  return url.href;
}

async function deliver(processes: Processes, { process: ref, requestId, start }: WakeUp): Promise<void> {
  if (start === null) await processes.wake({ process: ref, requestId });
  else await processes.start(ref, start, { requestId, why: 'new' });
}

/** Closes the platform, callers before what they call. */
export async function closePlatform(platform: Platform): Promise<void> {
  await platform.streams.close();
  await platform.runningRequests.close();
  await platform.outbox.close();
  await platform.processes.close();
  await platform.inspector.close();
  await platform.securityLog.close();
  await platform.requestRecords.close();
  await platform.drawing.close();
  await platform.orm.close(true);
  await stopTracing();
}
