import { notify } from '../notifications/index.ts';
import type { NotificationFacts } from '../notifications/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { markChanged } from './lock-application.ts';
import type { LockedApplication } from './lock-application.ts';
import { applicationNotifications } from './notifications.ts';
import { listLivingOnDocument } from './queries.ts';
import { expiredDocuments } from './readiness.ts';
import { factsOf } from './record.ts';
import { recordStep } from './record-step.ts';
import { transition } from './states.ts';

/**
 * Takes an application back to its owner because a document behind it has expired (service.md "Application"): the certificate
 * stops being valid, the payment is kept. The reason names each expired document and every application that stands on it.
 */
export async function returnExpiredApplication(ctx: CommandContext, locked: LockedApplication): Promise<void> {
  const { application, service } = locked;
  const expired = expiredDocuments(factsOf(locked, ctx.now));
  transition(application, 'lapse');
  const sentences: string[] = [];
  const told: NotificationFacts[] = [];
  for (const document of expired) {
    const linked = await listLivingOnDocument(ctx.db, document.id);
    const since = document.expiresAt === null ? '' : ` after ${document.expiresAt}`;
    told.push({
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
    expired: told,
  });
}
