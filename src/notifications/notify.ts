import { sql } from 'kysely';
import type { CommandContext } from '../platform/context.ts';
import type { NotificationKind } from './define-notifications.ts';
import type { NotificationFacts } from './facts.ts';
import { writeNotifications } from './write-notifications.ts';

/**
 * Tells a person what happened, as a row written in the fact's own transaction (decisions.md §8).
 * @param subject the record it is about; its id appears in the text
 * @param facts what the text may tell beside it, see `NotificationFacts`
 */
export async function notify(
  ctx: CommandContext,
  userId: number,
  kind: NotificationKind,
  subject: { kind: string; id: number | string },
  facts: NotificationFacts = {},
): Promise<void> {
  await writeNotifications(ctx, sql<{ id: number }>`(select ${userId}::int as id)`, { kind, subject, facts });
}
