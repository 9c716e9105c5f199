import { pause } from './retry.ts';
import type { Change } from './webhook.ts';

export interface FollowOptions {
  /** Cursor of an earlier run; absent: changes from now on. */
  after?: string | null;
  /** Absent: all. */
  types?: readonly (Change['type'] | `registry.${string}.*`)[];
  /** Ends the loop. */
  signal?: AbortSignal;
  /** Milliseconds between two requests when there is no change. Default 5,000. */
  pauseMs?: number;
  /** Called with a cursor when the loop has handled all changes before it, also while there are none. The next run continues `after` it. */
  saveCursor?: (cursor: string) => unknown;
}

interface ChangePage {
  data: readonly Change[];
  meta: { next: string };
}

/**
 * Yields changes in their order, and waits for further ones until the signal aborts. A program that ends before `saveCursor` receives the
 * changes of the last page again: compare their `id`.
 * @param read requests one page
 */
export async function* followChanges(
  read: (query: { after?: string; types?: string }, signal: AbortSignal | undefined) => Promise<ChangePage>,
  { after, types, signal, pauseMs = 5_000, saveCursor }: FollowOptions,
): AsyncGenerator<Change, void, undefined> {
  /** Returns null when the signal aborts. */
  const unlessAborted = async <Result>(work: () => Promise<Result>): Promise<Result | null> => {
    try {
      return signal?.aborted ? null : await work();
    } catch (error) {
      if (signal?.aborted) return null;
      throw error;
    }
  };
  const filter = types === undefined ? {} : { types: types.join(',') };
  for (let cursor = after ?? null; ;) {
    const position = cursor === null ? {} : { after: cursor };
    const page = await unlessAborted(() => read({ ...position, ...filter }, signal));
    if (page === null) return;
    yield* page.data;
    cursor = page.meta.next;
    await saveCursor?.(cursor);
    if (page.data.length === 0) await unlessAborted(() => pause(pauseMs, signal));
  }
}
