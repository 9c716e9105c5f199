import type { Bytes } from '../src/bytes.ts';
import type { KeySet } from '../src/cose.ts';
import { readListTime } from '../src/status-list.ts';
import { listTime } from '../src/verify-credential.ts';

/** Keys and status lists as the registry published them last. */
export interface Material {
  jwks: KeySet;
  statusLists: Record<string, Bytes>;
  /** When the registry last said that they are its latest, by this device's clock; null before the first time. */
  confirmedAt: Date | null;
}

const confirmedKey = 'gate-lists-confirmed-at';

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
  for (const uri of await readUris(await cache.match(listsPath))) {
    const list = await cache.match(pathOf(uri));
    if (list) statusLists[uri] = new Uint8Array(await list.arrayBuffer());
  }
  const confirmedAt = localStorage.getItem(confirmedKey);
  return { jwks, statusLists, confirmedAt: confirmedAt === null ? null : new Date(Number(confirmedAt)) };
}

/**
 * Downloads keys and lists and stores them. What cannot be downloaded keeps its stored copy.
 * @returns milliseconds by which the device's clock is ahead of the registry's
 * @throws without a network
 */
export async function refreshMaterial(): Promise<number> {
  const startedAt = Date.now();
  const cache = await caches.open(cacheName);
  const lists = await download(listsPath);
  const uris = await readUris(lists.clone());
  await cache.put(keysPath, await download(keysPath));
  for (const uri of uris) await cache.put(pathOf(uri), await download(pathOf(uri), accept));
  await cache.put(listsPath, lists);
  localStorage.setItem(confirmedKey, String(startedAt));
  return Date.now() - Date.parse(lists.headers.get('date') ?? new Date().toUTCString());
}

/** Returns the moment of which the oldest list speaks; null without lists. */
export function oldestList({ statusLists, confirmedAt }: Material): Date | null {
  const times = Object.values(statusLists)
    .flatMap((token) => readListTime(token) ?? [])
    .map((issuedAt) => listTime(issuedAt, confirmedAt).getTime());
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
