import type { Bytes } from '../../client/src/bytes.ts';
import type { KeySet } from '../../client/src/cose.ts';
import { readListTime } from '../../client/src/status-list.ts';
import { listTime } from '../../client/src/verify-credential.ts';

/** Keys and status lists as the registry published them last. */
export interface Material {
  jwks: KeySet;
  statusLists: Record<string, Bytes>;
  /** Up to when each list is complete, by this device's clock. */
  completeUntil: Record<string, Date>;
}

const clockKey = 'gate-clock-ahead-ms';
const completeHeader = 'Status-List-Complete-Until';

/** Survives releases of the page; the service worker deletes only caches of older releases. */
const cacheName = 'gate-lists';
const keysPath = '/.well-known/jwks.json';
const listsPath = '/status-lists';
const accept = { Accept: 'application/statuslist+cwt' };

/** Reads the stored keys and lists (GAT-7). */
export async function loadMaterial(): Promise<Material> {
  const cache = await caches.open(cacheName);
  const keys = await cache.match(keysPath);
  const jwks = keys ? ((await keys.json()) as KeySet) : { keys: [] };
  const statusLists: Record<string, Bytes> = {};
  const completeUntil: Record<string, Date> = {};
  const clockAheadMs = Number(localStorage.getItem(clockKey));
  for (const uri of await readUris(await cache.match(listsPath))) {
    const list = await cache.match(pathOf(uri));
    if (!list) continue;
    statusLists[uri] = new Uint8Array(await list.arrayBuffer());
    const until = Date.parse(list.headers.get(completeHeader) ?? '');
    if (!Number.isNaN(until)) completeUntil[uri] = new Date(until + clockAheadMs);
  }
  return { jwks, statusLists, completeUntil };
}

/** What the registry's answer tells about clocks. */
export interface Clocks {
  /** Milliseconds by which the device's clock is ahead of the registry's. */
  aheadMs: number;
  /** The instant of a sandbox whose clock was moved. */
  sandboxNow: Date | null;
}

/**
 * Downloads keys and lists and stores them. What cannot be downloaded keeps its stored copy.
 * @throws without a network
 */
export async function refreshMaterial(): Promise<Clocks> {
  const cache = await caches.open(cacheName);
  const lists = await download(listsPath);
  const uris = await readUris(lists.clone());
  await cache.put(keysPath, await download(keysPath));
  for (const uri of uris) await cache.put(pathOf(uri), await download(pathOf(uri), accept));
  await cache.put(listsPath, lists);
  const aheadMs = Date.now() - Date.parse(lists.headers.get('date') ?? new Date().toUTCString());
  localStorage.setItem(clockKey, String(aheadMs));
  const sandboxNow = lists.headers.get('Sandbox-Now');
  return { aheadMs, sandboxNow: sandboxNow === null ? null : new Date(sandboxNow) };
}

/** Returns the moment up to which all lists are complete; null without lists. */
export function oldestList({ statusLists, completeUntil }: Material): Date | null {
  const times = Object.entries(statusLists).flatMap(([uri, token]) => {
    const issuedAt = readListTime(token);
    return issuedAt ? [listTime(issuedAt, uri, completeUntil).getTime()] : [];
  });
  return times.length === 0 ? null : new Date(Math.min(...times));
}

async function download(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(path, { headers, cache: 'no-cache', credentials: 'omit', signal: AbortSignal.timeout(15_000) });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

async function readUris(response: Response | undefined): Promise<string[]> {
  return response ? ((await response.json()) as { status_lists: string[] }).status_lists : [];
}

/** The page may call its own origin only, and the registry serves its lists there. */
function pathOf(uri: string): string {
  return new URL(uri).pathname;
}
