import { errorName } from '../../../platform/error-code.ts';
import type { Mailer, MailUnavailableError } from '../../../platform/mail/mailer.ts';

/** Pause before the next call to a mail server that is away, milliseconds. */
const closedMs = 2_000;

/**
 * Wraps a mailer that parallel senders share (circuit breaker). After a failure, calls within `closedMs` fail at once.
 * A silent server blocks each attempt for ten seconds; thousands of accounts would block the queue for hours.
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
