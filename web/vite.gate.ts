import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';

/** In development the page has the address at which the API serves it. */
const gatePage: Plugin = {
  name: 'gate-page',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      request.url = request.url?.replace(/^\/gate(?=\?|$)/, '/gate/');
      next();
    });
  },
};

/**
 * The page `/gate`, with its service worker and its web manifest. The API writes the brand into the files of `public/` and of the page, and
 * the release into the service worker (`src/areas/verification/gate`).
 */
export default defineConfig({
  root: fileURLToPath(new URL('gate', import.meta.url)),
  base: '/gate/',
  plugins: [
    gatePage,
    VitePWA({
      strategies: 'injectManifest',
      srcDir: '.',
      filename: 'service-worker.ts',
      scope: '/gate',
      // The page registers the worker, because it decides when a new release replaces it (GAT-7).
      injectRegister: false,
      includeManifestIcons: false,
      injectManifest: {
        injectionPoint: 'GATE_FILES',
        globPatterns: ['**/*.{html,css,js,svg,png}'],
        manifestTransforms: [
          (entries) => ({ manifest: entries.map((entry) => ({ ...entry, url: entry.url === 'index.html' ? '/gate' : entry.url })) }),
        ],
      },
      manifest: {
        name: 'Контроль документов',
        short_name: 'Контроль',
        description: 'Контроль документов без сети',
        lang: 'ru',
        start_url: '/gate',
        display: 'standalone',
        background_color: '#0b4a8f',
        theme_color: '#0b4a8f',
        icons: [
          { src: '/gate/icon-192.png', sizes: '192x192', type: 'image/png' },
          { src: '/gate/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
          { src: '/gate/icon.svg', sizes: 'any', type: 'image/svg+xml' },
        ],
      },
    }),
  ],
  build: { outDir: '../../dist/web/gate', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: false },
});
