import type { SignedIn } from '../../../http/access/access.ts';
import { DomainError } from '../../../errors.ts';
import { commit } from '../../../platform/commands/command.ts';
import { type Caller, unrecorded } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { mailAfterAnswer } from '../after-answer.ts';
import { secondFactorMail } from '../mails.ts';
import { requirePassword } from '../password-hash.ts';
import { bindToSession } from '../sessions/browser-session.ts';
import { countingTry, type Proof, useSecondFactor } from './second-factor.ts';

/** A request that asks for a confirmation. */
interface Asking {
  principal: SignedIn;
  caller: Caller;
  signal: AbortSignal;
}

/**
 * Confirms that the person acts, not another at their unlocked browser (ACC-9): by password, and by a code where the account has a second
 * factor (ACC-30). A recovery code serves in place of a code. Call it before the command's transaction. The code is then used, also if
 * the command is refused.
 * @returns the caller for the command, which is refused when the session ends meanwhile (`bindToSession`)
 * @throws {DomainError} password_confirmation_failed, second_factor_required without a code, second_factor_failed, rate_limited
 */
export async function confirmInPerson(
  platform: Platform,
  { principal, caller, signal }: Asking,
  { password, code }: { password: string; code?: string | undefined },
): Promise<Caller> {
  const { user } = principal;
  const bound = bindToSession(caller, principal);
  await requirePassword(platform, user.id, password, { ip: caller.ip, signal });
  // A repeated request brings the code of the first one, which was used with its effect.
  if (!user.secondFactor || caller.idempotency?.isInEffect === true) return bound;
  if (code === undefined) throw new DomainError('second_factor_required');
  const use = { config: platform.config, userId: user.id, proof: proofOf(code) };
  const left = await countingTry(platform, user.id, () => commit(platform, unrecorded(caller), (ctx) => useSecondFactor(ctx, use)));
  if (left === null) return bound;
  const mail = secondFactorMail(platform, user, { what: 'recovery_code_used', at: new Date(), left });
  mailAfterAnswer(platform, caller.requestId, 'mailing the use of a recovery code', mail);
  return bound;
}

function proofOf(code: string): Proof {
  return /^\d{6}$/.test(code) ? { code } : { recoveryCode: code };
}
