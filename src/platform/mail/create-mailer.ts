import { join } from 'node:path';
import type { Mailer } from './mailer.ts';

/** The variables that configure mail. */
export type MailVariables = { SMTP_URL?: string | undefined; MAIL_FROM: string; DATA_DIR: string };

/**
 * Creates the mailer: SMTP with `SMTP_URL`, otherwise files under `DATA_DIR/mail`. Loads the library with the first mail, because most
 * workers send none.
 */
export function createMailer(config: MailVariables): Mailer {
  let loaded: Promise<Mailer> | undefined;
  return {
    async send(mail) {
      loaded ??= loadMailer(config);
      return (await loaded).send(mail);
    },
    ...(config.SMTP_URL && { check: async () => (await (loaded ??= loadMailer(config))).check?.() }),
  };
}

async function loadMailer({ SMTP_URL: url, MAIL_FROM: from, DATA_DIR: dataDir }: MailVariables): Promise<Mailer> {
  if (url) return (await import('./smtp-mailer.ts')).createSmtpMailer({ url, from });
  return (await import('./file-mailer.ts')).createFileMailer({ folder: join(dataDir, 'mail'), from });
}
