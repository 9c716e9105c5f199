import { assertNever } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { dayAfter } from '../../platform/time/date-time.ts';
import { findService } from '../catalog/index.ts';
import { daysUntil, isReminderDue, reminderAfter } from '../documents/index.ts';
import { type NotificationFacts, notify } from '../notifications/index.ts';
import { approveApplication, usualValidity } from './approve-application.ts';
import { recordStep, markChanged } from './command-parts.ts';
import { applicationNotifications } from './notifications.ts';
import { refundApplication } from './payments/refund-application.ts';
import { findActiveDuplicate, listLivingOnDocument, lockApplicationAndWallet, type LockedWithWallet } from './queries.ts';
import { dueStep, lapsedDocuments, remindedOf } from './readiness/due-step.ts';
import type { ApplicationRecord, LockedApplication } from './record.ts';
import { transition } from './states.ts';
import { latestOpenYear, opensOn } from './year.ts';

/**
 * Closes an application that has ended, and refunds a payment if no certificate was issued (APP-13). The note of a former return goes,
 * because what it asks for can no longer be done.
 *
 * The caller also holds the locks of the wallets.
 */
async function closeApplication(ctx: CommandContext, locked: LockedWithWallet): Promise<void> {
  const { application, service, certificate } = locked;
  transition(application, 'close');
  application.closedAt = ctx.now;
  application.reviewNote = null;
  markChanged(ctx, application);
  const subject = { kind: 'application', id: application.id };
  await recordStep(ctx, locked, 'closed', { year: application.year });
  await notify(ctx, application.ownerId, applicationNotifications['application.closed'], subject, {
    service: service.title,
    year: application.year,
    ...(application.kind === 'document' && certificate !== null ? { valid_until: certificate.validUntil } : {}),
  });
  if (certificate === null) await refundApplication(ctx, locked, `application ${application.id} was not issued before its year ended`);
}

/**
 * Reminds the owner of the certificate's last day when that is due (APP-16).
 *
 * The same transaction sets the next reminder, so each one is sent once.
 */
export async function remindWhenDue(ctx: CommandContext, locked: LockedApplication): Promise<void> {
  const { application, certificate, service } = locked;
  const reminded = remindedOf(locked);
  if (reminded === null || certificate === null || !isReminderDue(reminded, ctx.now)) return;
  const { lastDay } = reminded;
  const days = daysUntil(lastDay, ctx.now);
  application.remindAt = reminderAfter(lastDay, ctx.now);
  await recordStep(ctx, locked, 'reminded', { valid_until: lastDay, days });
  const renewal = await offerRenewal(ctx, locked);
  const facts = { service: service.title, number: certificate.number, valid_until: lastDay, days, ...renewal };
  await notify(ctx, application.ownerId, applicationNotifications['application.expiring'], { kind: 'application', id: locked.id }, facts);
}

/** When the service can be applied for again: `renew_year` now, or `renew_from` a day, `YYYY-MM-DD`; neither when it cannot. */
interface RenewalOffer {
  renew_year?: number;
  renew_from?: string;
}

/** Returns the step that renews a certificate before its end (APP-16, APP-19); none when the service is not sold or the step is taken. */
async function offerRenewal({ db, now }: CommandContext, record: ApplicationRecord): Promise<RenewalOffer> {
  const { application, certificate } = record;
  const { profileId, serviceId, disciplineId } = application;
  const service = await findService(db, serviceId);
  if (!service?.isActive || certificate === null) return {};
  if (application.kind === 'document') return { renew_from: dayAfter(certificate.validUntil) };
  const year = application.year + 1;
  if ((await findActiveDuplicate(db, { profileId, serviceId, disciplineId, year })) !== null) return {};
  return year <= (await latestOpenYear(db, now)) ? { renew_year: year } : { renew_from: opensOn(year, now) };
}

/**
 * Returns an application to its owner because a linked document has expired; the payment is kept (APP-11).
 *
 * The reason names each expired document and every application that it is attached to.
 */
async function returnExpiredApplication(ctx: CommandContext, locked: LockedApplication): Promise<void> {
  const { application, service } = locked;
  const expired = lapsedDocuments(locked, ctx.now);
  transition(application, 'lapse');
  const sentences: string[] = [];
  const facts: NotificationFacts[] = [];
  for (const document of expired) {
    const linked = await listLivingOnDocument(ctx.db, document.id);
    const since = document.expiresAt === null ? '' : ` after ${document.expiresAt}`;
    facts.push({
      document_id: document.id,
      document_type: document.type,
      ...(document.expiresAt === null ? {} : { expires_at: document.expiresAt }),
      applications: linked,
    });
    sentences.push(`Document ${document.id} (${document.type}) expired${since}. Linked applications: ${linked.join(', ')}.`);
  }
  application.reviewNote = [...sentences, 'Attach a valid document and submit the application again; a payment made is kept.'].join(' ');
  markChanged(ctx, application);
  const subject = { kind: 'application', id: application.id };
  await recordStep(ctx, locked, 'lapsed', { document_ids: expired.map((document) => document.id) });
  await notify(ctx, application.ownerId, applicationNotifications['application.changes'], subject, {
    service: service.title,
    expired: facts,
  });
}

/**
 * Takes the due step of an application. Idempotent: it decides under the lock.
 *
 * Closing may refund, and wallets are locked before the application, so it always locks both.
 * @throws {DomainError} not_found
 */
export async function reconsiderApplication(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  const locked = await lockApplicationAndWallet(ctx, id);
  const step = dueStep(locked, ctx.now);
  switch (step) {
    case 'close':
      await closeApplication(ctx, locked);
      break;
    case 'return':
      await returnExpiredApplication(ctx, locked);
      break;
    case 'approve':
      await approveApplication(ctx, locked, usualValidity(locked.application, ctx.now));
      break;
    case 'remind':
    case null:
      break;
    default:
      assertNever(step);
  }
  // A reminder may be due together with another step.
  await remindWhenDue(ctx, locked);
  return locked;
}
