/** Keeps the files of one release of the page, so that it opens without a network (GAT-7). */

/** The build writes the addresses of all files. */
declare const GATE_FILES: readonly { url: string }[];
/** The service writes the hash of all files, with its brand. */
declare const GATE_RELEASE: string;

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
interface WorkerScope {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(name: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void;
}

const worker = globalThis as unknown as WorkerScope;
const files = GATE_FILES.map(({ url }) => new URL(url, location.href).pathname);
const cacheName = `gate-release-${GATE_RELEASE}`;

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method === 'GET' && origin === location.origin && files.includes(pathname))
    event.respondWith(answer(event.request, pathname));
});

async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  await cache.addAll(files.map((path) => new Request(path, { cache: 'no-cache' })));
  const page = await (await cache.match('/gate'))?.text();
  // While a release is rolled out, another process may answer with its page; the browser installs again at its next look.
  if (page?.includes(GATE_RELEASE) !== true) throw new Error('the page is of another release');
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith('gate-release-') && name !== cacheName).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function answer(request: Request, path: string): Promise<Response> {
  return (await caches.match(path, { cacheName })) ?? fetch(request);
}
