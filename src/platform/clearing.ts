/** What a page of a clearing changed. */
export interface Cleared {
  changed: number;
  /** Whether more may be left. */
  isMore: boolean;
}

/** Rows of each kind in a page: a backlog of years must not become one long transaction. */
export const clearingBatch = 1000;

/** Sums the changed rows of each kind; one with a whole batch may have more. */
export function clearedOf(counts: readonly number[]): Cleared {
  return { changed: counts.reduce((sum, count) => sum + count, 0), isMore: counts.some((count) => count >= clearingBatch) };
}
