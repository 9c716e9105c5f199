import { DomainError } from '../../errors.ts';
import { query } from '../../platform/commands/command.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { countAttempt } from '../accounts/index.ts';
import type { WebhookCaller } from './policy.ts';
import { findWebhook } from './queries.ts';

/** Most tests, and most replays, of one webhook an hour: each makes deliveries (WHK-8). */
export const interventionLimit = 20;

/**
 * Counts a test or replay of an enabled webhook. What is refused anyway does not count.
 * @param check other refusals
 * @throws {DomainError} not_found; insufficient_scope; webhook_disabled; rate_limited
 */
export async function countIntervention(
  platform: Pick<Platform, 'orm' | 'clock'>,
  by: WebhookCaller,
  id: number,
  what: 'tests' | 'replays',
  check: (db: Database, now: Date) => Promise<void> | undefined,
): Promise<void> {
  await query(platform, async (db, now) => {
    const { status } = await findWebhook(db, by, id);
    await check(db, now);
    if (status !== 'enabled') throw new DomainError('webhook_disabled');
  });
  await countAttempt(platform, { key: `webhook-${what}:${id}`, limit: interventionLimit, windowSeconds: 3_600 });
}
