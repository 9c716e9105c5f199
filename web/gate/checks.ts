import type { Verdict } from '../../client/src/verify-credential.ts';

/** A check as the device remembers it. */
export interface Check {
  /** Milliseconds since 1970. */
  at: number;
  verdict: Verdict['verdict'];
  reason: Verdict['reason'];
  number: string | null;
}

const storageKey = 'gate-checks';
const kept = 200;

/** Returns the last checks of this device, the newest first (GAT-9). */
export function readChecks(): Check[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '[]') as Check[];
  } catch {
    return [];
  }
}

export function keepCheck(check: Check): void {
  localStorage.setItem(storageKey, JSON.stringify([check, ...readChecks()].slice(0, kept)));
}
