import { audit } from '../administration/audit.ts';
import { listLinkedApplications } from '../documents/index.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { markChanged } from './lock-application.ts';
import type { LockedApplication } from './lock-application.ts';
import { lapsedDocuments } from './readiness.ts';
import { factsOf } from './record.ts';
import { requireTransition } from './states.ts';

/**
 * Takes an application back to its owner because a document behind it has lapsed (service.md "Application"): the certificate
 * stops being valid, the payment is kept. The reason names each lapsed document and every application that stands on it.
 */
export async function lapseApplication(ctx: CommandContext, { application, record }: LockedApplication): Promise<void> {
  const lapsed = lapsedDocuments(factsOf(record, ctx.now));
  application.status = requireTransition(application.status, 'lapse');
  const sentences: string[] = [];
  for (const document of lapsed) {
    const linked = await listLinkedApplications(ctx.em, document.id);
    const since = document.expiresAt === null ? '' : ` after ${document.expiresAt}`;
    sentences.push(`Document ${document.id} (${document.type}) expired${since}. Linked applications: ${linked.join(', ')}.`);
  }
  application.reviewNote = [...sentences, 'Attach a valid document and submit the application again; a payment made is kept.'].join(' ');
  markChanged(ctx, application);
  const subject = { kind: 'application', id: application.id };
  audit(ctx, 'application.lapsed', subject, { document_ids: lapsed.map((document) => document.id) });
  notify(ctx, application.ownerId, 'application.changes', subject, { service: record.service.title.en, reason: sentences.join(' ') });
}
