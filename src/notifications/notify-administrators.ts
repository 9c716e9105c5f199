import type { CommandContext } from '../platform/context.ts';
import type { NotificationKind } from './define-notifications.ts';
import type { NotificationFacts } from './facts.ts';
import { writeNotifications } from './write-notifications.ts';

/** A federation has a handful of administrators; whatever happens, no more are told at once. */
const mostTold = 200;

/**
 * Tells every active administrator what waits for the federation, by one statement in the fact's own transaction.
 * @param subject the record it is about; its id appears in the text
 */
export async function notifyAdministrators(
  ctx: CommandContext,
  kind: NotificationKind,
  subject: { kind: string; id: number | string },
  facts: NotificationFacts = {},
): Promise<void> {
  const administrators = ctx.db
    .selectFrom('users')
    .where('role', '=', 'administrator')
    .where('status', '=', 'active')
    .select('id')
    .orderBy('id')
    .limit(mostTold);
  await writeNotifications(ctx, administrators, { kind, subject, facts });
}
