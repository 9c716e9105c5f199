import { causeOf } from '../../platform/log.ts';
import type { Platform } from '../../platform/platform.ts';

const underWay = new Set<Promise<void>>();

/**
 * Does work once the answer is on its way: neither a slow mail server nor the existence of an account may show in the time of
 * an answer. It may be lost with the process; the person then asks again.
 * @param what names the work in the log
 */
export function afterAnswer(platform: Pick<Platform, 'log'>, requestId: string, what: string, work: () => Promise<void>): void {
  const done = new Promise<void>((resolve) => setImmediate(resolve))
    .then(work)
    .catch((error: unknown) => {
      platform.log.error({ request_id: requestId, cause: causeOf(error) }, `${what} failed`);
    })
    .finally(() => underWay.delete(done));
  underWay.add(done);
}

/** Waits for all of it, before the database and the mail server are let go. */
export async function afterAnswersDone(): Promise<void> {
  await Promise.all(underWay);
}
