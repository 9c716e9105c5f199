import { useSyncExternalStore } from 'react';

let aheadMs = 0;
const listeners = new Set<() => void>();

/** Ages are reckoned by the registry's clock: that of a sandbox, or of this computer, may be ahead. @param at as the overview answers it */
export function setRegistryClock(at: string): void {
  const seconds = Math.round((Date.parse(at) - Date.now()) / 1000);
  if (seconds * 1000 === aheadMs) return;
  aheadMs = seconds * 1000;
  for (const listener of listeners) listener();
}

/** By how many milliseconds the registry's clock is ahead of this computer's. */
export function useClockLead(): number {
  return useSyncExternalStore(subscribe, () => aheadMs);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
