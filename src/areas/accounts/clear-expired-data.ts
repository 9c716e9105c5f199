import { type Cleared, clearedOf, clearingBatch } from '../../platform/expired-rows.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { anyOf } from '../../platform/database/database.ts';
import { dayMs } from '../../platform/time/date-time.ts';
import { deleteOldSecurityEvents } from '../audit/index.ts';
import { expireCaptchas } from './captcha/process.ts';
import { expireEmailConfirmations } from './email-confirmation/process.ts';
import { expirePasswordResets } from './passwords/process.ts';
import { expireImpersonations } from './sessions/end-impersonations.ts';
import { sessionLimits } from './sessions/sessions-in-force.ts';

/**
 * Clears one page of expired data (ACC-20). Idempotent.
 *
 * Closes secrets and impersonations whose timer was lost. Deletes secrets and sessions that ended more than a day ago, counters whose
 * window is over, and security events past their retention.
 *
 * Takes one batch of each kind, the oldest first, by an index. Secrets, impersonations and security events follow the domain's clock;
 * the rest follows real time.
 * @returns the number of changed rows, and whether more may be left
 */
export async function clearExpiredData(ctx: CommandContext): Promise<Cleared> {
  const { db } = ctx;
  const present = Date.now();
  const dayBefore = new Date(ctx.now.getTime() - dayMs);
  const ago = (ms: number) => new Date(present - ms);

  // A session may have many captchas: they are deleted first, so that the session's own deletion cascades to few rows.
  const captchas = db
    .selectFrom('captchas')
    .select('id as key')
    .where('closedAt', 'is not', null)
    .where('expiresAt', '<', dayBefore)
    .orderBy('expiresAt');
  const resets = db
    .selectFrom('password_resets')
    .select('id as key')
    .where('closedAt', 'is not', null)
    .where('expiresAt', '<', dayBefore)
    .orderBy('expiresAt');
  const confirmations = db
    .selectFrom('email_confirmations')
    .select('id as key')
    .where('closedAt', 'is not', null)
    .where('expiresAt', '<', dayBefore)
    .orderBy('expiresAt');
  // A session ends in two ways, each with its own index; one query with "or" could use the order of neither.
  const ended = db.selectFrom('sessions').select('id as key').where('expiresAt', '<', ago(dayMs)).orderBy('expiresAt');
  const idle = db
    .selectFrom('sessions')
    .select('id as key')
    .where('lastSeenAt', '<', ago(sessionLimits.idleMs + dayMs))
    .orderBy('lastSeenAt');
  const counters = db.selectFrom('attempt_counts').select('key').where('resetsAt', '<', ago(0)).orderBy('resetsAt');

  const closed = [
    await expireCaptchas(ctx, { limit: clearingBatch }),
    await expirePasswordResets(ctx, { limit: clearingBatch }),
    await expireEmailConfirmations(ctx, { limit: clearingBatch }),
    await expireImpersonations(ctx, { limit: clearingBatch }),
  ];
  const deletions = [
    db.deleteFrom('captchas').where('id', '=', anyOf(captchas.limit(clearingBatch))),
    db.deleteFrom('password_resets').where('id', '=', anyOf(resets.limit(clearingBatch))),
    db.deleteFrom('email_confirmations').where('id', '=', anyOf(confirmations.limit(clearingBatch))),
    db.deleteFrom('sessions').where('id', '=', anyOf(ended.limit(clearingBatch))),
    db.deleteFrom('sessions').where('id', '=', anyOf(idle.limit(clearingBatch))),
    db.deleteFrom('attempt_counts').where('key', '=', anyOf(counters.limit(clearingBatch))),
  ];
  const deleted = [await deleteOldSecurityEvents(ctx, clearingBatch)];
  for (const deletion of deletions) deleted.push(Number((await deletion.executeTakeFirst()).numDeletedRows));
  return clearedOf([...closed, ...deleted]);
}
