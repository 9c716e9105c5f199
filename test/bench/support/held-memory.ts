import { once } from 'node:events';
import type { Child } from './child.ts';

export const heldQuestion = 'what is held';

/**
 * What a program that was started with `tellsHeldMemory` holds now, in MB: its heap and the buffers beside it after all garbage is
 * collected. Unlike the resident memory, which V8 lets grow as long as there is enough of it, this grows with the work only where the work
 * is kept.
 */
export async function heldMb({ process: child }: Child): Promise<number> {
  const answered = once(child, 'message');
  child.send(heldQuestion);
  const [{ heldBytes }] = (await answered) as [{ heldBytes: number }];
  return heldBytes / 1024 / 1024;
}
