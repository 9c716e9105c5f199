import type { ServerResponse } from 'node:http';

/** From one check of a caller to the next, milliseconds: an answer ends within five seconds of the access that gave it (ACC-35). */
const checkMs = 2_000;

/**
 * Cuts an answer off once its caller may not have it any more (ACC-35). An export reads its next rows only when the client has taken the
 * former ones, so a client that reads slowly would keep its access for hours.
 * @param isAllowed asked while the answer is sent; when it fails it is asked again
 * @param told called when the answer is cut off, and with the error when `isAllowed` failed
 */
export function cutOffWithAccess(response: ServerResponse, isAllowed: () => Promise<boolean>, told: (error?: unknown) => void): void {
  if (response.closed) return;
  const check = async () => {
    try {
      if (await isAllowed()) return;
      if (response.closed) return;
      told();
      // The client must not take the part for the whole.
      response.destroy();
    } catch (error) {
      told(error);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => void check().then(() => response.closed || wait()), checkMs).unref();
  };
  wait();
  response.once('close', () => clearTimeout(timer));
}
