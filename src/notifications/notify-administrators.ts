import type { CommandContext } from '../platform/context.ts';
import type { NotificationKind } from './define-notifications.ts';
import type { NotificationFacts } from './facts.ts';
import { toldAdministrators } from './told-administrators.ts';
import { writeNotifications } from './write-notifications.ts';

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
  await writeNotifications(ctx, toldAdministrators(ctx.db), { kind, subject, facts });
}
