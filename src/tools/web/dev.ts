import { createServer } from 'vite';
import { join } from 'node:path';
import { projectDirectory } from '../embedded/scripts.ts';

/** What each page asks of the API. */
const proxied = { desk: '^/(api|gate)/', gate: '^/([.]well-known|status-lists|v)(/|$)' };

/**
 * Serves the pages from their source, with hot reload (`npm run dev`).
 * @param registry address of the API, which gets the calls of a page as from a page of its own
 */
export async function serveWeb(registry: string): Promise<{ urls: string[]; close: () => Promise<void> }> {
  const pages = [await servePage('desk', registry), await servePage('gate', registry)];
  return {
    urls: pages.map(({ url }) => url),
    close: async () => void (await Promise.all(pages.map(({ server }) => server.close()))),
  };
}

async function servePage(page: keyof typeof proxied, registry: string) {
  const server = await createServer({
    configFile: join(projectDirectory, 'web', `vite.${page}.ts`),
    cacheDir: join(projectDirectory, 'node_modules', '.vite', page),
    logLevel: 'warn',
    server: { proxy: { [proxied[page]]: { target: registry, changeOrigin: true, headers: { origin: registry } } } },
  });
  await server.listen();
  return { server, url: new URL(`/${page}`, server.resolvedUrls?.local[0]).href };
}
