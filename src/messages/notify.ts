import type { CommandContext } from '../platform/context.ts';
import { sendPrepared } from '../platform/database/prepared.ts';
import { writeNotification } from './notification-texts.ts';
import type { NotificationFacts } from './notification-texts.ts';
import type { NotificationType } from './notification-types.ts';

/**
 * Tells a person what happened, as a row written in the fact's own transaction (decisions.md §8).
 * @param subject the record it is about; its id appears in the text
 * @param facts what the text may tell beside it, see `NotificationFacts`
 */
export function notify(
  ctx: CommandContext,
  userId: number,
  type: NotificationType,
  subject: { kind: string; id: number | string },
  facts: NotificationFacts = {},
): void {
  const { title, text } = writeNotification(type, String(subject.id), facts);
  sendPrepared(
    ctx.em,
    'insert into notifications (user_id, type, title, text, subject_kind, subject_id, created_at) values ($1, $2, $3, $4, $5, $6, $7)',
    [userId, type, title, text, subject.kind, String(subject.id), ctx.now],
  );
}
