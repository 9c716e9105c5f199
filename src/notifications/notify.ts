import type { CommandContext } from '../platform/context.ts';
import type { NotificationFacts, NotificationKind } from './define-notifications.ts';

/**
 * Tells a person what happened, as a row written in the fact's own transaction (decisions.md §8).
 * @param subject the record it is about; its id appears in the text
 * @param facts what the text may tell beside it, see `NotificationFacts`
 */
export async function notify(
  ctx: CommandContext,
  userId: number,
  { type, write }: NotificationKind,
  subject: { kind: string; id: number | string },
  facts: NotificationFacts = {},
): Promise<void> {
  const subjectId = String(subject.id);
  const { title, text } = write(facts, subjectId);
  await ctx.db
    .insertInto('notifications')
    .values({ userId, type, title, text, subjectKind: subject.kind, subjectId, createdAt: ctx.now })
    .execute();
}
