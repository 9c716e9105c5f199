import { accountableUserId, type CommandContext } from '../../../platform/context.ts';
import { inList } from '../../../platform/database/database.ts';
import { auditByEach, type AuditedFactBy } from '../../audit/index.ts';
import type { Session } from '../entities.ts';
import type { Expiring } from '../expire-secret.ts';
import { actInAccount } from '../sessions/act-as.ts';

/** What a session says of an impersonation; of one without, nothing. */
export type ImpersonatingSession = Pick<Session, 'id' | 'userId' | 'impersonatedUserId' | 'impersonationExpiresAt'>;

export const impersonationColumns = ['id', 'userId', 'impersonatedUserId', 'impersonationExpiresAt'] as const;

/**
 * Ends every impersonation that an account takes part in, as the one acted in or as the administrator who acts, because it is blocked or its role
 * changes (decisions.md §9): the sessions are their administrators' own again. Call it under the lock of the account's row, so that none begins
 * meanwhile, and before the sessions of a blocked account are deleted, so that its own impersonations end in the audit too. Found by
 * `sessions_impersonated_user_index` and `sessions_user_index`.
 * @returns how many
 */
export async function endImpersonationsOf(ctx: CommandContext, userId: number): Promise<number> {
  const found = await ctx.db
    .selectFrom('sessions')
    .select(impersonationColumns)
    .where('impersonatedUserId', 'is not', null)
    .where((eb) => eb.or([eb('impersonatedUserId', '=', userId), eb('userId', '=', userId)]))
    .forUpdate()
    .execute();
  return giveBack(ctx, found);
}

/**
 * Ends impersonations whose time is over by the clock; otherwise does nothing, so it may run again and may come too early. That one is over is
 * checked at each use; this lets the record and the audit say so. Those of all are found by `sessions_impersonation_expiry_index`.
 * @param of.holder id of the session
 * @returns how many
 */
export async function expireImpersonations(ctx: CommandContext, of: Expiring<string>): Promise<number> {
  const past = ctx.db.selectFrom('sessions').select(impersonationColumns).where('impersonationExpiresAt', '<=', ctx.now);
  const chosen = 'holder' in of ? past.where('id', '=', of.holder) : past.orderBy('impersonationExpiresAt').limit(of.limit);
  // Of two at once, the second waits here and finds nothing.
  return giveBack(ctx, await chosen.forUpdate().execute());
}

/** @param sessions held by this transaction */
async function giveBack(ctx: CommandContext, sessions: readonly ImpersonatingSession[]): Promise<number> {
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
 * Writes into the audit that impersonations ended with what just happened to their sessions: `impersonation.expired` where their time was over,
 * `impersonation.ended` otherwise. Both name the administrator and the account, whoever ended them; `data.ended_by` names another who did.
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
