import { accountableUserId, type CommandContext } from '../../../platform/commands/context.ts';
import { inList } from '../../../platform/database/database.ts';
import type { Expiring } from '../../../platform/expired-rows.ts';
import { auditByEach, type AuditedFactBy } from '../../audit/index.ts';
import type { Session } from '../entities.ts';
import { actInAccount } from './act-as.ts';

/** The columns of a session that describe its impersonation; null without one. */
type ImpersonatingSession = Pick<Session, 'id' | 'userId' | 'impersonatedUserId' | 'impersonationExpiresAt'>;

export const impersonationColumns = ['id', 'userId', 'impersonatedUserId', 'impersonationExpiresAt'] as const;

/**
 * Ends every impersonation of an account that is blocked or changes its role, on either side (ACC-17). The sessions return to their
 * administrators.
 *
 * Call it under the lock of the account's row, so that no impersonation begins meanwhile. Call it before the account's own sessions are
 * deleted, so that the audit has the end of its impersonations. Reads `sessions_impersonated_user_index` and `sessions_user_index`.
 * @returns the number of ended impersonations
 */
export async function endImpersonationsOf(ctx: CommandContext, userId: number): Promise<number> {
  const found = await ctx.db
    .selectFrom('sessions')
    .select(impersonationColumns)
    .where('impersonatedUserId', 'is not', null)
    .where((eb) => eb.or([eb('impersonatedUserId', '=', userId), eb('userId', '=', userId)]))
    .forUpdate()
    .execute();
  return returnSessions(ctx, found);
}

/**
 * Ends expired impersonations (ACC-13). Idempotent, and without effect before the expiry. Each request checks the expiry too; this keeps
 * the record and the audit correct. The sweep of all holders reads `sessions_impersonation_expiry_index`.
 * @param of.holder id of the session
 * @returns the number of ended impersonations
 */
export async function expireImpersonations(ctx: CommandContext, of: Expiring<string>): Promise<number> {
  const past = ctx.db.selectFrom('sessions').select(impersonationColumns).where('impersonationExpiresAt', '<=', ctx.now);
  const chosen = 'holder' in of ? past.where('id', '=', of.holder) : past.orderBy('impersonationExpiresAt').limit(of.limit);
  // Of two concurrent runs, the second waits for this lock and finds nothing.
  return returnSessions(ctx, await chosen.forUpdate().execute());
}

/** @param sessions locked by this transaction */
async function returnSessions(ctx: CommandContext, sessions: readonly ImpersonatingSession[]): Promise<number> {
  if (sessions.length === 0) return 0;
  await ctx.db
    .updateTable('sessions')
    .set({ impersonatedUserId: null, impersonationStartedAt: null, impersonationExpiresAt: null })
    .where('id', '=', inList(sessions.map(({ id }) => id)))
    .execute();
  await auditEnds(ctx, sessions);
  return sessions.length;
}

/**
 * Audits the end of impersonations: `impersonation.expired` when their time is over, `impersonation.ended` otherwise (ACC-14). Both name
 * the administrator and the impersonated account; `data.ended_by` names another administrator who ended it.
 */
export async function auditEnds(ctx: CommandContext, sessions: readonly ImpersonatingSession[]): Promise<void> {
  const endedBy = accountableUserId(ctx.actor);
  const facts: AuditedFactBy[] = [];
  for (const { id, userId: administratorId, impersonatedUserId: userId, impersonationExpiresAt: expiresAt } of sessions) {
    if (administratorId === null || userId === null || expiresAt === null) continue;
    const isByAnother = endedBy !== administratorId;
    facts.push({
      by: actInAccount(isByAnother ? { ...ctx, ip: null } : ctx, { administratorId, userId }),
      action: expiresAt <= ctx.now ? 'impersonation.expired' : 'impersonation.ended',
      subject: { kind: 'user', id: userId },
      data: { session_id: id, ...(isByAnother && endedBy !== null ? { ended_by: endedBy } : {}) },
    });
  }
  await auditByEach(ctx, facts);
}
