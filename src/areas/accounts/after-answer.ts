import { causeOf } from '../../platform/logging/log.ts';
import type { Mail } from '../../platform/mail/mailer.ts';
import type { Platform } from '../../platform/platform.ts';

const pending = new Set<Promise<void>>();

/**
 * Runs work after the answer is sent, so that the response time shows neither a slow mail server nor whether an account exists
 * (ACC-2, ACC-6). The work is lost if the process ends; the person then asks again.
 * @param what name of the work in the log
 */
export function afterAnswer(platform: Pick<Platform, 'log'>, requestId: string, what: string, work: () => Promise<void>): void {
  const done = new Promise<void>((resolve) => setImmediate(resolve))
    .then(work)
    .catch((error: unknown) => {
      platform.log.error({ request_id: requestId, cause: causeOf(error) }, `${what} failed`);
    })
    .finally(() => pending.delete(done));
  pending.add(done);
}

/** Sends a mail after the answer; null: nothing is sent, because the address is not confirmed (ACC-23). */
export function mailAfterAnswer(platform: Pick<Platform, 'log' | 'mailer'>, requestId: string, what: string, mail: Mail | null): void {
  if (mail !== null) afterAnswer(platform, requestId, what, () => platform.mailer.send(mail));
}

/** Waits until all pending work is done. Call it before the database and the mail server are closed. */
export async function afterAnswersDone(): Promise<void> {
  await Promise.all(pending);
}
