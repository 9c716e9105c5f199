import { notify } from '../notifications/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { markChanged } from './lock-application.ts';
import type { LockedWithWallet } from './lock-application.ts';
import { applicationNotifications } from './notifications.ts';
import { recordStep } from './record-step.ts';
import { refundApplication } from './refund-application.ts';
import { transition } from './states.ts';

/**
 * Closes an application whose year has ended (decisions.md §4). What was paid for one that was never issued goes back into the
 * wallet that paid. The caller holds the wallets' locks too.
 */
export async function closeApplication(ctx: CommandContext, locked: LockedWithWallet): Promise<void> {
  const { application, service, certificate } = locked;
  transition(application, 'close');
  application.closedAt = ctx.now;
  markChanged(ctx, application);
  const subject = { kind: 'application', id: application.id };
  await recordStep(ctx, locked, 'closed', { year: application.year });
  await notify(ctx, application.ownerId, applicationNotifications['application.closed'], subject, {
    service: service.title,
    year: application.year,
  });
  if (certificate === null) await refundApplication(ctx, locked, `application ${application.id} was not issued before its year ended`);
}
