import { errorName } from '../../../platform/error-code.ts';
import type { Mailer, MailUnavailableError } from '../../../platform/mail/mailer.ts';

/** So long nobody knocks again at a mail server that is away, milliseconds. */
const closedMs = 2_000;

/**
 * The same mailer for many who send beside each other. Once the server is away, whoever comes within moments is told so without a try: a server
 * that says nothing holds each try for ten seconds, and thousands of accounts would hold the queue for hours.
 */
export function createMailGate(mailer: Mailer, now: () => number = () => performance.now()): Mailer {
  let closed: { until: number; error: MailUnavailableError } | null = null;
  return {
    async send(mail) {
      if (closed !== null && now() < closed.until) throw closed.error;
      try {
        await mailer.send(mail);
        closed = null;
      } catch (error) {
        if (isAway(error)) closed = { until: now() + closedMs, error };
        throw error;
      }
    },
  };
}

function isAway(error: unknown): error is MailUnavailableError {
  return errorName(error) === 'MailUnavailableError' && !(error as MailUnavailableError).isOfMail;
}
