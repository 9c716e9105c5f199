import type { Caller } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { afterAnswer } from './after-answer.ts';
import { passwordMail } from './mails.ts';
import type { PasswordChange } from './set-password.ts';

/** Mails to the owner of an account that its password was changed, once the answer is on its way. */
export function tellPasswordChange(
  platform: Pick<Platform, 'log' | 'config' | 'mailer'>,
  { requestId }: Pick<Caller, 'requestId'>,
  change: PasswordChange,
  how: 'password' | 'link',
): void {
  afterAnswer(platform, requestId, 'mailing a change of password', () => platform.mailer.send(passwordMail(platform.config, change, how)));
}
