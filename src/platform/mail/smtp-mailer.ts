import { createTransport } from 'nodemailer';
import { errorCode } from '../logging/error-code.ts';
import { composeMail, type Mailer, MailRefusedError, MailUnavailableError } from './mailer.ts';

/**
 * Sends mails by SMTP, each on its own connection, because there are few.
 * @param options.timeoutMs maximum silence of the server, milliseconds
 * @param options.totalMs time limit of one mail, against slow servers
 */
export function createSmtpMailer(options: { url: string; from: string; timeoutMs?: number; totalMs?: number }): Mailer {
  const { url, from, timeoutMs = 10_000, totalMs = 30_000 } = options;
  const settings = {
    url,
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
  return {
    async check() {
      try {
        await createTransport(settings).verify();
      } catch (error) {
        const reason = answerOf(error).code ?? errorCode(error) ?? 'no answer';
        throw new Error(`Cannot use SMTP server ${new URL(url).host} (${reason}). Check SMTP_URL.`, { cause: error });
      }
    },
    async send(mail) {
      const composed = composeMail(mail, from);
      const transport = createTransport(settings);
      let isTextSent = false;
      transport.use('stream', ({ message }, done) => {
        // The server reads the text only after it accepted sender and recipient.
        message.processFunc((text) => text.once('end', () => (isTextSent = true)));
        done();
      });
      try {
        await transport.sendMail({ ...composed, signal: AbortSignal.timeout(totalMs) });
      } catch (error) {
        throw asMailError(error, isTextSent);
      }
    },
  };
}

/**
 * Classifies the server's answer. An answer to the recipient or the text concerns this mail: 4xx may pass, 5xx is final. Silence or a lost
 * connection behind the text concerns this mail too: the next one shows whether the server is away. Answers to other commands (greeting,
 * login, sender) and a hang-up (421) before the text concern all mails. A policy (5.7.x for a recipient) may concern one or all, so the mail
 * waits without blocking others.
 */
function asMailError(error: unknown, isTextSent: boolean): MailRefusedError | MailUnavailableError {
  const { command, code, response } = answerOf(error);
  const isOfText = isTextSent || (errorCode(error) === 'EMESSAGE' && code !== null);
  const isOfMail = isOfText || (command === 'RCPT TO' && code !== null && code !== 421);
  return isOfMail && code !== null && code >= 500 && !isPolicy(command, response)
    ? new MailRefusedError(code)
    : new MailUnavailableError({ cause: error, isOfMail, code });
}

/** Relaying denied, login required, or sender refused. */
function isPolicy(command: string | null, response: string): boolean {
  return command === 'RCPT TO' && /^5\d\d[ -]5\.7\./.test(response);
}

/** Returns the server's last answer from nodemailer's error. */
function answerOf(error: unknown): { command: string | null; code: number | null; response: string } {
  const fields: { command?: unknown; responseCode?: unknown; response?: unknown } =
    typeof error === 'object' && error !== null ? error : {};
  return {
    command: typeof fields.command === 'string' ? fields.command : null,
    code: typeof fields.responseCode === 'number' ? fields.responseCode : null,
    response: typeof fields.response === 'string' ? fields.response : '',
  };
}
