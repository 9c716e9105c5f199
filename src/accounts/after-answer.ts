import type { Platform } from '../platform/platform.ts';

/**
 * Does work once the answer is on its way: neither a slow mail server nor the existence of an account may show in the time of
 * an answer. It may be lost with the process; the person then asks again.
 * @param what names the work in the log
 */
export function afterAnswer(platform: Pick<Platform, 'log'>, requestId: string, what: string, work: () => Promise<void>): void {
  setImmediate(() => {
    work().catch((error: unknown) => {
      // Only the message: what a mail server answers may hold an address.
      platform.log.error({ request_id: requestId, cause: error instanceof Error ? error.message : String(error) }, `${what} failed`);
    });
  });
}
