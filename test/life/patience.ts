import { setTimeout } from 'node:timers/promises';

/** How often a request is sent that meets a process which is being started again, and the pause between, milliseconds. */
export const [attempts, attemptPauseMs] = [240, 250];

/** Sends a request that may run twice, until a process answers it. */
export async function patiently<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === attempts) throw error;
    }
    await setTimeout(attemptPauseMs);
  }
}
