import { audit } from '../administration/audit.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { markChanged } from './lock-application.ts';
import type { LockedApplication } from './lock-application.ts';
import { refundApplication } from './refund-application.ts';
import { requireTransition } from './states.ts';

/**
 * Closes an application whose year has ended (decisions.md §4). What was paid for one that was never issued goes back into the
 * wallet. The caller holds the locks of the wallet and of the application.
 */
export async function closeApplication(ctx: CommandContext, { application, record }: LockedApplication): Promise<void> {
  application.status = requireTransition(application.status, 'close');
  application.closedAt = ctx.now;
  markChanged(ctx, application);
  const subject = { kind: 'application', id: application.id };
  audit(ctx, 'application.closed', subject, { year: application.year });
  notify(ctx, application.ownerId, 'application.closed', subject, { service: record.service.title.en, year: application.year });
  if (record.certificate === null)
    await refundApplication(ctx, application, `application ${application.id} was not issued before its year ended`);
}
