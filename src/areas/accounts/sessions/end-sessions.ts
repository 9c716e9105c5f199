import type { CommandContext } from '../../../platform/context.ts';
import type { Session } from '../entities.ts';
import { auditEnds, impersonationColumns } from '../impersonation/end-impersonations.ts';

/** A session that was ended. */
export type EndedSession = Pick<Session, 'id' | 'userId' | 'createdAt' | 'expiresAt'>;

/** Ends one session, or all sessions of an account, together with their impersonations. @returns the ended sessions */
export async function endSessions(ctx: CommandContext, which: { id: string } | { userId: number }): Promise<EndedSession[]> {
  const ended = await ctx.db
    .deleteFrom('sessions')
    .where((eb) => ('id' in which ? eb('id', '=', which.id) : eb('userId', '=', which.userId)))
    .returning(impersonationColumns)
    .returning(['createdAt', 'expiresAt'])
    .execute();
  await auditEnds(ctx, ended);
  return ended;
}
