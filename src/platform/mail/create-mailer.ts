import { join } from 'node:path';
import { createFileMailer } from './file-mailer.ts';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** The variables of decisions.md §10 that say where letters go. */
export type MailVariables = { SMTP_URL?: string | undefined; MAIL_FROM: string; DATA_DIR: string };

/** By SMTP where `SMTP_URL` is set, otherwise files under `DATA_DIR/mail`. */
export function createMailer(config: MailVariables): Mailer {
  if (config.SMTP_URL) return createSmtpMailer({ url: config.SMTP_URL, from: config.MAIL_FROM });
  return createFileMailer({ folder: join(config.DATA_DIR, 'mail'), from: config.MAIL_FROM });
}
