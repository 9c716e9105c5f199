import type { Readable } from 'node:stream';
import { apiPrefix } from '../api-prefix.ts';
import type { Page } from './page.ts';

/** Result of a handler; `app.ts` wraps `data` and `meta` with the request id (API-1). */
export type Reply<Data> =
  | { kind: 'json'; status: number; data: Data; meta: Record<string, unknown>; headers: Record<string, string> }
  | { kind: 'page'; status: number; page: Page; headers: Record<string, string> }
  | { kind: 'body'; status: number; body: Readable | Buffer | string | null; headers: Record<string, string> };

/** What is sent: a page with its shell is a body. */
export type SentReply = Exclude<Reply<unknown>, { kind: 'page' }>;

export function ok<Data>(data: Data, meta: Record<string, unknown> = {}, headers: Record<string, string> = {}): Reply<Data> {
  return { kind: 'json', status: 200, data, meta, headers };
}

/** @param path path of the new record below `/api/v1`, for `Location` (`response.location` of the route) */
export function created<Data>(data: Data, path: string, headers: Record<string, string> = {}): Reply<Data> {
  return { kind: 'json', status: 201, data, meta: {}, headers: { ...headers, Location: apiPrefix + path } };
}

/** @param path of a record that is being made, as in `created` */
export function accepted<Data>(data: Data, path?: string): Reply<Data> {
  return { kind: 'json', status: 202, data, meta: {}, headers: path === undefined ? {} : { Location: apiPrefix + path } };
}

/** Answers a page of a list; `total` counts all matches (API-5). */
export function page<Item>(items: Item[], total: number, query: { page: number; limit: number }): Reply<Item[]> {
  return ok(items, { total, page: query.page, limit: query.limit });
}

/** Answers a page of a list with a capped total (`cappedListMeta`, API-5). */
export function cappedPage<Item>(
  items: Item[],
  { total, isTotalCapped }: { total: number; isTotalCapped: boolean },
  { page: number, limit }: { page: number; limit: number },
): Reply<Item[]> {
  return ok(items, { total, page: number, limit, ...(isTotalCapped ? { total_is_capped: true } : {}) });
}

/** Answers a page for people; `app.ts` puts the shell around it. */
export function pageFor(shown: Page, status = 200): Reply<never> {
  return { kind: 'page', status, page: shown, headers: {} };
}

/** Answers a file or an image without the JSON envelope. */
export function body(content: Readable | Buffer | string | null, headers: Record<string, string>, status = 200): Reply<never> {
  return { kind: 'body', status, body: content, headers };
}
