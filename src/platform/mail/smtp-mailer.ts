import { createTransport } from 'nodemailer';
import { composeMail } from './mail.ts';
import { type Mailer, MailUnavailableError } from './mailer.ts';

/**
 * Mails by SMTP; one connection for each, since there are few and a pool would have to be closed.
 * @param options.timeoutMs how long the server may be silent
 * @param options.totalMs how long one mail may take: a server that says a byte now and then is never silent
 */
export function createSmtpMailer(options: { url: string; from: string; timeoutMs?: number; totalMs?: number }): Mailer {
  const { url, from, timeoutMs = 10_000, totalMs = 30_000 } = options;
  const transport = createTransport({
    url,
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  return {
    async send(mail) {
      const composed = composeMail(mail, from);
      try {
        await transport.sendMail({ ...composed, signal: AbortSignal.timeout(totalMs) });
      } catch (error) {
        throw new MailUnavailableError({ cause: error });
      }
    },
  };
}
