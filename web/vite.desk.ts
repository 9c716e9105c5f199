import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

/** In development each address below `/desk` is the one page, as the API serves it. */
const deskPages: Plugin = {
  name: 'desk-pages',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      if (/^\/desk(?:\/[^.]*)?(?:\?|$)/.test(request.url ?? '')) request.url = '/index.html';
      next();
    });
  },
};

/** The page `/desk` (`src/areas/administration/desk`). */
export default defineConfig({
  root: fileURLToPath(new URL('desk', import.meta.url)),
  plugins: [react(), deskPages],
  // The API puts a new nonce into each page.
  html: { cspNonce: 'NONCE' },
  build: {
    outDir: '../../dist/web/desk',
    emptyOutDir: true,
    assetsDir: 'web',
    // No asset as a `data:` address, which the policy of the pages refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
