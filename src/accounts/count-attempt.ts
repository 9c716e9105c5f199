import { DomainError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';

export interface AttemptLimit {
  /** What is counted, such as `captcha:{session}`; at most 150 characters, no private data. */
  key: string;
  limit: number;
  windowSeconds: number;
}

/**
 * Counts one attempt at something that guards a secret or costs much (decisions.md §1), in real time and for all API
 * processes together. It has a statement of its own, outside the command's transaction: a refused attempt counts too.
 * @throws {DomainError} rate_limited, when more than `limit` were made in the window
 */
export async function countAttempt(platform: Pick<Platform, 'orm'>, { key, limit, windowSeconds }: AttemptLimit): Promise<void> {
  const present = new Date();
  const [row] = await platform.orm.em.fork().execute<{ count: number; resets_at: string }[]>(
    `insert into attempt_counts as present (key, count, resets_at) values (?, 1, ?)
     on conflict (key) do update set
       count = case when present.resets_at <= ? then 1 else least(present.count + 1, 1000000) end,
       resets_at = case when present.resets_at <= ? then excluded.resets_at else present.resets_at end
     returning count, resets_at`,
    [key, new Date(present.getTime() + windowSeconds * 1000), present, present],
  );
  if (!row || row.count <= limit) return;
  const waitMs = new Date(row.resets_at).getTime() - present.getTime();
  throw new DomainError('rate_limited', { retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)), limit });
}

/** Forgets what was counted under a key. */
export async function forgetAttempts(platform: Pick<Platform, 'orm'>, key: string): Promise<void> {
  await platform.orm.em.fork().execute('delete from attempt_counts where key = ?', [key]);
}
