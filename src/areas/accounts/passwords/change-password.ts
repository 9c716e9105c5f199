import type { CommandContext, Caller } from '../../../platform/commands/context.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import type { Platform } from '../../../platform/platform.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import type { PasswordChange } from '../mails.ts';
import { lockSessions } from '../sessions/end-session.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';
import { type NewPassword, setPassword } from './set-password.ts';

/**
 * Changes the password of a signed-in user who confirmed the present one. Ends all their sessions and starts a new one here (ACC-3).
 * @param wanted.currentId the session of the request
 * @throws {DomainError} unauthenticated, when a newer password or another request ended this session meanwhile (ACC-18)
 */
export async function changePassword(
  ctx: CommandContext,
  { userId, currentId, userAgent, ...wanted }: NewPassword & { userId: number; currentId: string; userAgent: string | null },
): Promise<{ session: StartedSession; change: PasswordChange }> {
  const user = await lockSessions(ctx, { userId, currentId });
  const change = await setPassword(ctx, user, wanted);
  return { session: await startSession(ctx, { userId: user.id, former: null, userAgent }), change };
}

/** Sends the owner the mail about a new password after the answer (ACC-19). @param mail see `passwordMail` */
export function mailPasswordChange(
  platform: Pick<Platform, 'log' | 'mailer'>,
  { requestId }: Pick<Caller, 'requestId'>,
  mail: Mail | null,
): void {
  mailAfterAnswer(platform, requestId, 'mailing a change of password', mail);
}
