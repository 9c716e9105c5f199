import { z } from 'zod';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { access } from '../access/access.ts';
import { defineRoute, type Route } from '../define-route.ts';
import { type CompressedContent, compressOnce } from '../response/cacheable.ts';
import { body, pageFor } from '../response/reply.ts';
import { buildPagePath, type BuildFacts, renderBuildPage } from './build-page.ts';
import { describeApi, type SentMessages } from './openapi.ts';

const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const startScript = `SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'none', tryItOutEnabled: true });`;
const startScriptHash = createHash('sha256').update(startScript).digest('base64');
const pageText = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Registry API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<p style="margin: 1rem auto 0; max-width: 1420px; padding: 0 20px; font-family: sans-serif"><a href="${buildPagePath}">Build on it: keys, changes, webhooks, errors, limits</a></p>
<div id="reference"></div>
<noscript>This page needs scripts; the document itself is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>${startScript}</script>
</body>
</html>
`;
/** Allows only what Swagger UI needs: its own script, inline styles and icons. */
const policy = `default-src 'none'; script-src 'self' 'sha256-${startScriptHash}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The other status of `compressOnce`. */
export const unchanged = { status: 304, description: 'The client has the current content' } as const;

/** Routes of the interactive reference, with all assets from this service, and of the page for programmers; the root path redirects to the reference. */
export function createDocsRoutes(facts: BuildFacts): Route[] {
  // Located by its package.json: importing the package would load the page's script into this process.
  const folder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  const contents = new Map<keyof typeof assets, CompressedContent>();
  const contentOf = (asset: keyof typeof assets): CompressedContent => {
    let content = contents.get(asset);
    if (!content) {
      content = compressOnce(readFileSync(join(folder, asset)), {
        'Content-Type': assets[asset],
        'Cache-Control': 'public, max-age=86400',
      });
      contents.set(asset, content);
    }
    return content;
  };
  return [
    defineRoute({
      name: 'showReference',
      method: 'GET',
      path: '/docs',
      access: access.public,
      atRoot: true,
      tag: 'Reference',
      summary: 'Interactive reference page',
      response: { content: ['text/html'] },
      handler: async () => body(pageText, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }),
    }),
    defineRoute({
      name: 'showBuildPage',
      method: 'GET',
      path: buildPagePath,
      access: access.public,
      atRoot: true,
      tag: 'Reference',
      summary: 'Page for programmers: keys, changes, webhooks, errors, limits',
      response: { content: ['text/html'] },
      handler: async ({ platform }) => pageFor(renderBuildPage(platform.config, facts)),
    }),
    defineRoute({
      name: 'getReferenceAsset',
      method: 'GET',
      path: '/docs/:asset',
      access: access.public,
      atRoot: true,
      tag: 'Reference',
      summary: 'An asset of the reference page',
      request: { params: z.strictObject({ asset: z.enum(Object.keys(assets) as [keyof typeof assets, ...(keyof typeof assets)[]]) }) },
      response: { content: Object.values(assets), otherStatuses: [unchanged] },
      handler: async ({ params, header }) => contentOf(params.asset)(header),
    }),
  ];
}

/** Creates the route of the OpenAPI document, which is built once at the start. */
export function createOpenApiRoute(published: readonly Route[], baseUrl: string, sent: readonly SentMessages[]): Route {
  const route: Route = defineRoute({
    name: 'getApiDescription',
    method: 'GET',
    path: '/openapi.json',
    access: access.public,
    tag: 'Reference',
    summary: 'This document: OpenAPI 3.1',
    request: { query: z.strictObject({}) },
    response: { content: ['application/json'], otherStatuses: [unchanged] },
    handler: async ({ header }) => document(header),
  });
  const document = compressOnce(Buffer.from(JSON.stringify(describeApi([...published, route], baseUrl, sent))), {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'public, max-age=300',
  });
  return route;
}
