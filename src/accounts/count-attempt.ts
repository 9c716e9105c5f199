import { DomainError } from '../errors.ts';
import { databaseOf } from '../platform/database/database.ts';
import type { Platform } from '../platform/platform.ts';
import { refusalOf } from '../platform/security-log.ts';
import type { SecuritySubject } from '../platform/security-log.ts';

export interface AttemptLimit {
  /** What is counted, such as `captcha:{session}`; at most 150 characters, no private data. */
  key: string;
  limit: number;
  windowSeconds: number;
}

/** A count stops here: it says "too many" long before. */
const highestCount = 1_000_000;

/**
 * Counts one attempt at something that guards a secret or costs much (decisions.md §1), in real time and for all API
 * processes together. It has a statement of its own, outside the command's transaction: a refused attempt counts too.
 * @param subjectOf what the attempt was about, where its refusal is a security event: the first of a window is, and no flood makes more
 * @returns how many it were in the window, with this one
 * @throws {DomainError} rate_limited, when more than `limit` were made in the window
 */
export async function countAttempt(
  platform: Pick<Platform, 'orm'>,
  attempt: AttemptLimit,
  subjectOf?: () => Promise<SecuritySubject>,
): Promise<number> {
  const { count, retryAfterSeconds } = await takeAttempt(platform, attempt);
  if (count <= attempt.limit) return count;
  const details = { retry_after_seconds: retryAfterSeconds, limit: attempt.limit };
  if (subjectOf === undefined || count > attempt.limit + 1) throw new DomainError('rate_limited', details);
  throw refusalOf('rate_limited', await subjectOf(), details);
}

/**
 * The same for whoever must not be told: it refuses nothing.
 * @returns the count with this one, and how long it is until the window ends, at least a second
 */
export async function takeAttempt(
  platform: Pick<Platform, 'orm'>,
  { key, windowSeconds }: AttemptLimit,
): Promise<{ count: number; retryAfterSeconds: number }> {
  const present = new Date();
  const { count, resetsAt } = await databaseOf(platform.orm.em.fork())
    .insertInto('attempt_counts')
    .values({ key, count: 1, resetsAt: new Date(present.getTime() + windowSeconds * 1000) })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb('attempt_counts.resetsAt', '<=', present);
        const next = eb.fn<number>('least', [eb('attempt_counts.count', '+', 1), eb.lit(highestCount)]);
        return {
          count: eb.case().when(isOver).then(eb.lit(1)).else(next).end(),
          resetsAt: eb.case().when(isOver).then(eb.ref('excluded.resetsAt')).else(eb.ref('attempt_counts.resetsAt')).end(),
        };
      }),
    )
    .returning(['count', 'resetsAt'])
    .executeTakeFirstOrThrow();
  return { count, retryAfterSeconds: Math.max(1, Math.ceil((resetsAt.getTime() - present.getTime()) / 1000)) };
}

/** Takes one attempt back that turned out to be none. */
export async function giveBackAttempt(platform: Pick<Platform, 'orm'>, key: string): Promise<void> {
  await databaseOf(platform.orm.em.fork())
    .updateTable('attempt_counts')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

/** Forgets what was counted under a key. */
export async function forgetAttempts(platform: Pick<Platform, 'orm'>, key: string): Promise<void> {
  await databaseOf(platform.orm.em.fork()).deleteFrom('attempt_counts').where('key', '=', key).execute();
}
