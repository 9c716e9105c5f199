import { ActivityFailure, ApplicationFailure } from '@temporalio/common';

/** What keeps a process from doing what it does by itself. */
export interface Trouble {
  /** In words of ours, without private data: messages of our own failures hold none (`activities/errors.ts`). */
  words: string;
  /** Of the catalogue of refusals. */
  code: string;
  /** The record, not the world outside: the same again fails again, until somebody mends it. */
  isOfRecord: boolean;
  /** How often it has failed in a row. */
  tries: number;
}

/** Adds a failure to the trouble there was. A refusal and an unexpected error are the record's; time and what is away are the world's. */
export function troubleOf(error: unknown, before: Trouble | null): Trouble {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const tries = (before?.tries ?? 0) + 1;
  if (!(cause instanceof ApplicationFailure)) return { words: 'it took too long', code: 'service_unavailable', isOfRecord: false, tries };
  const code = cause.type ?? 'internal_error';
  return { words: cause.message, code, isOfRecord: code !== 'service_unavailable', tries };
}

/** Milliseconds, before chance has its share: the first pause and the longest. Somebody has to mend a record; the world often comes back by itself. */
const pauses = { record: [60_000, 3_600_000], world: [5_000, 300_000] } as const;

/**
 * How long to wait before the next try: twice as long each time. Chance makes it up to half shorter or longer, so that what failed
 * together does not come back together.
 */
export function pauseAfter({ isOfRecord, tries }: Trouble): number {
  const [first, longest] = isOfRecord ? pauses.record : pauses.world;
  return Math.min(first * 2 ** (tries - 1), longest) * (0.5 + Math.random());
}
