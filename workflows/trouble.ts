import { ActivityFailure, ApplicationFailure } from '@temporalio/common';

/** What blocks a process's own steps. */
export interface Trouble {
  /** Our own words, without private data: messages of our failures hold none (`activities/errors.ts`). */
  words: string;
  /** Code of the refusal catalog. */
  code: string;
  /** Caused by the record, not by an external service: a retry fails again until the record is corrected. */
  isOfRecord: boolean;
  /** Failures in a row. */
  tries: number;
}

/**
 * Adds a failure to the current trouble. Refusals and unexpected errors count as caused by the record; timeouts and outages as external.
 */
export function troubleOf(error: unknown, before: Trouble | null): Trouble {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const tries = (before?.tries ?? 0) + 1;
  if (!(cause instanceof ApplicationFailure)) return { words: 'it took too long', code: 'service_unavailable', isOfRecord: false, tries };
  const code = cause.type ?? 'internal_error';
  return { words: cause.message, code, isOfRecord: code !== 'service_unavailable', tries };
}

/** Milliseconds before jitter: the first pause and the longest. A record needs a correction; outages often end by themselves. */
const pauses = { record: [60_000, 3_600_000], world: [5_000, 300_000] } as const;

/** Returns the pause before the next attempt: exponential backoff with jitter, so that failures of one moment do not retry together. */
export function pauseAfter({ isOfRecord, tries }: Trouble): number {
  const [first, longest] = isOfRecord ? pauses.record : pauses.world;
  return Math.min(first * 2 ** (tries - 1), longest) * (0.5 + Math.random());
}
