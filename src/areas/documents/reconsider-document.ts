import type { CommandContext } from '../../platform/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import type { Document } from './entities.ts';
import { expireWhenDue } from './expire-document.ts';
import { daysUntil, isReminderDue, reminderAfter } from './expiry-reminders.ts';
import { lockDocument } from './lock-document.ts';
import { documentNotifications } from './notifications.ts';
import { remindedOf } from './states.ts';

/**
 * Tells the owner that the last day of an approved document is near, when that is due; the same transaction sets the next reminder, so each
 * is told once (decisions.md §8). The caller holds the row.
 */
export async function remindWhenDue(ctx: CommandContext, document: Locked<Document>, ownerId: number): Promise<void> {
  const reminded = remindedOf(document);
  if (reminded === null || !isReminderDue(reminded, ctx.now)) return;
  const { id, type } = document;
  const { lastDay } = reminded;
  const days = daysUntil(lastDay, ctx.now);
  document.remindAt = reminderAfter(lastDay, ctx.now);
  const subject = { kind: 'document', id };
  await audit(ctx, 'document.reminded', subject, { expires_at: lastDay, days });
  await notify(ctx, ownerId, documentNotifications['document.expiring'], subject, { document_type: type, expires_at: lastDay, days });
}

/**
 * Does what has become due for a document without anybody asking, by what it finds under the lock; so it may run at any time and again: it
 * expires when its last day has passed, and before that its owner is reminded.
 * @throws {DomainError} not_found
 */
export async function reconsiderDocument(ctx: CommandContext, documentId: number): Promise<Readonly<Document>> {
  const { document, ownerId } = await lockDocument(ctx, documentId);
  await expireWhenDue(ctx, document, ownerId);
  await remindWhenDue(ctx, document, ownerId);
  return document;
}
