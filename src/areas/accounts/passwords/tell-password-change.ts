import type { Caller } from '../../../platform/context.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import type { Platform } from '../../../platform/platform.ts';
import { afterAnswer } from '../after-answer.ts';

/** Sends the owner the mail about a new password after the answer (ACC-19). @param mail see `passwordMail` */
export function tellPasswordChange(platform: Pick<Platform, 'log' | 'mailer'>, { requestId }: Pick<Caller, 'requestId'>, mail: Mail): void {
  afterAnswer(platform, requestId, 'mailing a change of password', () => platform.mailer.send(mail));
}
