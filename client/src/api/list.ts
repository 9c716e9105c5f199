/** What one request for a list answers. */
export interface Page<Item> {
  data: readonly Item[];
  /** `page` and `limit` of a list with numbered pages; `next` of one with cursors. */
  meta: { page?: number; limit?: number; next?: number | string | null };
}

/**
 * Yields all items of a list, page after page.
 * @param read requests a page; the fields are those of its query beyond the caller's
 */
export async function* listAll<Item>(read: (query: { page?: number; after?: number | string }) => Promise<Page<Item>>) {
  let page = await read({});
  for (;;) {
    yield* page.data;
    const { page: number, limit, next } = page.meta;
    if (next !== undefined) {
      if (next === null || page.data.length === 0) return;
      page = await read({ after: next });
    } else {
      // A total may be capped; a page that is not full is the last.
      if (number === undefined || limit === undefined || page.data.length < limit) return;
      page = await read({ page: number + 1 });
    }
  }
}
