import type { Logger } from 'pino';
import { causeOf } from '../logging/log.ts';

/** State of a dependency; `disabled` when the configuration does not use it. */
export type DependencyState = 'ok' | 'away' | 'disabled';

/** State of a dependency since an instant, and for `away` the cause in words. */
export interface DependencyStatus {
  readonly state: DependencyState;
  readonly since: Date;
  readonly cause: string | null;
}

/** A check resolves when the dependency can be used; its error says why not, without personal data or secrets. */
export type DependencyCheck = () => Promise<void>;

/** The last known status of each dependency. */
export interface DependencyWatch<Name extends string> {
  /** Reads the last statuses; starts no check. */
  statuses(): Readonly<Record<Name, DependencyStatus>>;
  /** Stops checking. Waits for checks in progress until their deadline. */
  stop(): Promise<void>;
}

/** Milliseconds. */
export interface DependencyTimes {
  /** Pause between two checks. */
  everyMs: number;
  /** Time limit of one check; a later answer counts as away. */
  deadlineMs: number;
}

/** Checks of our own servers; they cost one small query. */
export const frequentChecks: DependencyTimes = { everyMs: 3_000, deadlineMs: 5_000 };
/** Checks of servers of others, such as a bank: each opens a connection. */
export const rareChecks: DependencyTimes = { everyMs: 30_000, deadlineMs: 5_000 };

/**
 * Checks dependencies in the background (API-10). A request reads the last status, so probes cost nothing.
 * A check that exceeds its deadline continues; the next one starts after it ends. Logs each change once.
 *
 * @param checks null for a disabled dependency
 * @returns after the first check of each, whatever its result
 */
export async function watchDependencies<Name extends string>(
  checks: Readonly<Record<Name, { check: DependencyCheck; times: DependencyTimes } | null>>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<DependencyWatch<Name>> {
  const known = new Map<Name, DependencyStatus>();
  const timers = new Map<Name, NodeJS.Timeout>();
  const inProgress = new Set<Promise<void>>();
  let isStopped = false;

  function note(name: Name, state: DependencyState, cause: string | null): void {
    const previous = known.get(name);
    if (previous?.state === state && previous.cause === cause) return;
    known.set(name, { state, since: previous?.state === state ? previous.since : new Date(), cause });
    if (state === 'away') log.warn({ dependency: name, cause }, 'dependency away');
    else if (previous !== undefined) log.info({ dependency: name }, 'dependency back');
  }

  async function look(name: Name, check: DependencyCheck, times: DependencyTimes): Promise<void> {
    const answered = check().then(
      () => null,
      (error: unknown) => causeOf(error),
    );
    const deadline = Promise.withResolvers<string>();
    const timer = setTimeout(() => deadline.resolve(`no answer within ${times.deadlineMs} ms`), times.deadlineMs);
    const cause = await Promise.race([answered, deadline.promise]);
    clearTimeout(timer);
    note(name, cause === null ? 'ok' : 'away', cause);
    void answered.then(() => {
      if (!isStopped) timers.set(name, setTimeout(() => begin(name, check, times), times.everyMs).unref());
    });
  }

  function begin(name: Name, check: DependencyCheck, times: DependencyTimes): Promise<void> {
    const looking = look(name, check, times).finally(() => inProgress.delete(looking));
    inProgress.add(looking);
    return looking;
  }

  const names = Object.keys(checks) as Name[];
  await Promise.all(
    names.map(async (name) => {
      const watched = checks[name];
      if (watched === null) note(name, 'disabled', null);
      else await begin(name, watched.check, watched.times);
    }),
  );
  return {
    statuses: () => Object.fromEntries(known) as Record<Name, DependencyStatus>,
    async stop() {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(inProgress);
    },
  };
}
