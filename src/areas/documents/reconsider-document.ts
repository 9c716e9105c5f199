import type { CommandContext } from '../../platform/commands/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import type { Document } from './entities.ts';
import { expireWhenDue } from './expire-document.ts';
import { daysUntil, isReminderDue, reminderAfter } from './expiry-reminders.ts';
import { lockDocument } from './queries.ts';
import { documentNotifications } from './notifications.ts';
import { remindedOf } from './states.ts';

/**
 * Sends a due reminder of an approved document's last day (DOC-5). The same transaction sets the next one, so each is sent once.
 * The caller holds the row lock.
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
 * Expires a document after its last day (DOC-1) or sends a due reminder (DOC-5). Idempotent: decides by the locked row.
 * @throws {DomainError} not_found
 */
export async function reconsiderDocument(ctx: CommandContext, documentId: number): Promise<Readonly<Document>> {
  const { document, ownerId } = await lockDocument(ctx, documentId);
  await expireWhenDue(ctx, document, ownerId);
  await remindWhenDue(ctx, document, ownerId);
  return document;
}
