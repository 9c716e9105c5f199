import { createTransport } from 'nodemailer';
import { composeLetter } from './letter.ts';
import { type Mailer, MailUnavailableError } from './mailer.ts';

/** Letters by SMTP; one connection a letter, since there are few and a pool would have to be closed. */
export function createSmtpMailer(options: { url: string; from: string; timeoutMs?: number }): Mailer {
  const { url, from, timeoutMs = 10_000 } = options;
  const transport = createTransport({ url, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs });
  return {
    async send(mail) {
      const letter = composeLetter(mail, from);
      try {
        await transport.sendMail(letter);
      } catch (error) {
        throw new MailUnavailableError({ cause: error });
      }
    },
  };
}
