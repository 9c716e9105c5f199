import { type TaskQueue, taskQueues } from '../../registry/config.ts';
import { createSchemaCheck } from '../../platform/database/check-schema.ts';
import {
  type DependencyCheck,
  type DependencyStatus,
  type DependencyTimes,
  frequentChecks,
  rareChecks,
} from '../../platform/health/watch-dependencies.ts';
import type { Platform } from '../../platform/platform.ts';

export type DependencyName = 'database' | 'temporal' | 'storage' | 'mail' | 'bank' | `workers/${TaskQueue}`;

/** What the probes of an API process read. */
export interface Health {
  /** From SIGTERM on; the process still serves for `SHUTDOWN_DELAY_SECONDS`. */
  isStopping: boolean;
  dependencies: Readonly<Record<DependencyName, DependencyStatus>>;
}

type Checks = Record<DependencyName, { check: DependencyCheck; times: DependencyTimes } | null>;

/** The checks of an API process. */
export function dependencyChecks(platform: Pick<Platform, 'config' | 'orm' | 'processes' | 'storage' | 'mailer' | 'bank'>): Checks {
  const { config, orm, processes, storage, mailer, bank } = platform;
  const workers = taskQueues.map((queue) => [`workers/${queue}`, frequently(() => processes.checkWorkers(queue))] as const);
  return {
    database: frequently(createSchemaCheck(orm, { acceptsNewer: config.UNSAFE_SETTINGS.includes('newer_schema') })),
    temporal: frequently(() => processes.check()),
    storage: frequently(() => storage.check()),
    mail: mailer.check === undefined ? null : { check: () => mailer.check?.() ?? Promise.resolve(), times: rareChecks },
    bank: bank.enabled ? { check: () => bank.check(), times: rareChecks } : null,
    ...(Object.fromEntries(workers) as Record<`workers/${TaskQueue}`, Checks[DependencyName]>),
  };
}

function frequently(check: DependencyCheck) {
  return { check, times: frequentChecks };
}

/** Decides whether a process takes requests (API-10): its own state and its database, nothing else. */
export function readinessOf({ isStopping, dependencies: { database } }: Health): { status: 'ok' | 'not_ready'; reason: string | null } {
  if (isStopping) return { status: 'not_ready', reason: 'The process is stopping.' };
  return database.state === 'ok'
    ? { status: 'ok', reason: null }
    : { status: 'not_ready', reason: `Database: ${database.cause ?? 'away'}` };
}

/** State of a process that has checked nothing. */
export function unknownHealth(): Health {
  const unknown: DependencyStatus = { state: 'away', since: new Date(), cause: 'not checked' };
  const names = ['database', 'temporal', 'storage', 'mail', 'bank', ...taskQueues.map((queue) => `workers/${queue}` as const)] as const;
  return { isStopping: false, dependencies: Object.fromEntries(names.map((name) => [name, unknown])) as Health['dependencies'] };
}
