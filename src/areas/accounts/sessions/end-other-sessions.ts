import type { CommandContext } from '../../../platform/commands/context.ts';
import { auditAll } from '../../audit/index.ts';
import { lockSessions } from './end-session.ts';
import { endSessions } from './start-session.ts';

/** Ends all sessions of the account but the current one (ACC-26). @throws {DomainError} unauthenticated, see `lockSessions` */
export async function endOtherSessions(ctx: CommandContext, of: { userId: number; currentId: string }): Promise<void> {
  await lockSessions(ctx, of);
  const ended = await endSessions(ctx, { userId: of.userId, except: of.currentId });
  const subject = { kind: 'user', id: of.userId };
  await auditAll(
    ctx,
    ended.map(({ id }) => ({ action: 'session.ended', subject, data: { session_id: id } })),
  );
}
