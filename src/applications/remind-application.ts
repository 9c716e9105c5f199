import { daysUntil, isReminderDue, reminderAfter } from '../documents/index.ts';
import { notify } from '../notifications/index.ts';
import type { CommandContext } from '../platform/context.ts';
import type { LockedApplication } from './lock-application.ts';
import { applicationNotifications } from './notifications.ts';
import { remindedOf } from './record.ts';
import { recordStep } from './record-step.ts';

/**
 * Tells the owner that the last day of a certificate is near, when that is due; the same transaction sets the next reminder, so each is told
 * once (decisions.md §8).
 */
export async function remindWhenDue(ctx: CommandContext, locked: LockedApplication): Promise<void> {
  const { application, certificate, service } = locked;
  const reminded = remindedOf(locked);
  if (reminded === null || certificate === null || !isReminderDue(reminded, ctx.now)) return;
  const { lastDay } = reminded;
  const days = daysUntil(lastDay, ctx.now);
  application.remindAt = reminderAfter(lastDay, ctx.now);
  await recordStep(ctx, locked, 'reminded', { valid_until: lastDay, days });
  const facts = { service: service.title, number: certificate.number, valid_until: lastDay, days };
  await notify(ctx, application.ownerId, applicationNotifications['application.expiring'], { kind: 'application', id: locked.id }, facts);
}
