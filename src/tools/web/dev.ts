import { createServer } from 'vite';
import { join } from 'node:path';
import { projectDirectory } from '../embedded/scripts.ts';

/**
 * Serves the desk from its source, with hot reload (`npm run dev`).
 * @param registry address of the API, which gets the calls of the page as from a page of its own
 */
export async function serveWeb(registry: string): Promise<{ url: string; close: () => Promise<void> }> {
  const server = await createServer({
    configFile: join(projectDirectory, 'web', 'vite.config.ts'),
    logLevel: 'warn',
    server: { proxy: { '^/(api|gate)/': { target: registry, changeOrigin: true, headers: { origin: registry } } } },
  });
  await server.listen();
  return { url: `${server.resolvedUrls?.local[0] ?? ''}desk`, close: () => server.close() };
}
