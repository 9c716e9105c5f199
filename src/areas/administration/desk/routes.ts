import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { type CompressedContent, compressOnce } from '../../../http/response/cacheable.ts';
import { body } from '../../../http/response/reply.ts';

const anyQuery = z.looseObject({});
const build = new URL('../../../../dist/web/', import.meta.url);
const script = 'text/javascript; charset=utf-8';
const types: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', js: script, mjs: script, wasm: 'application/wasm' };
const nonceBytes = 16;

/** What Vite has built (`web/`): the page with a place for its nonce, and files whose names have their hash. */
interface DeskBuild {
  page: string;
  assets: ReadonlyMap<string, CompressedContent>;
}

let loaded: DeskBuild | null = null;

/** Reads the build at the first request: only some processes serve the desk. */
function readBuild(): DeskBuild {
  if (loaded !== null) return loaded;
  const page = new URL('desk/index.html', build);
  if (!existsSync(page)) throw new DomainError('not_found', undefined, 'The desk is not built. Run `npm run build:web`.');
  const folder = new URL('web/', build);
  const assets = new Map(
    readdirSync(folder).map((name) => {
      const headers = {
        'Content-Type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        'Cache-Control': 'public, max-age=31536000, immutable',
        ...(name.endsWith('.mjs') && { 'Content-Security-Policy': workerPolicy }),
      };
      return [name, compressOnce(readFileSync(new URL(name, folder)), headers)];
    }),
  );
  loaded = { page: readFileSync(page, 'utf8'), assets };
  return loaded;
}

/** The worker that reads PDFs has no network and no page; its decoders of scans are WebAssembly. */
const workerPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'";

/** Own files only. The nonce is for the style element that the components write; scanned papers are shown as blobs. */
function policyWith(nonce: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

const page = {
  method: 'GET',
  access: access.public,
  atRoot: true,
  answersPeople: true,
  countedAs: 'file',
  tag: 'Administration',
  response: { content: ['text/html'] },
  handler: async () => {
    const nonce = randomBytes(nonceBytes).toString('base64url');
    return body(readBuild().page.replaceAll('NONCE', nonce), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyWith(nonce),
      'Cache-Control': 'no-store',
    });
  },
} as const;

/** The federation's desk (`web/desk`), which calls the API as every client does. */
export const deskRoutes: Route[] = [
  defineRoute({ ...page, name: 'showDesk', path: '/desk', summary: 'Page of the federation’s desk', request: { query: anyQuery } }),
  defineRoute({
    ...page,
    name: 'showDeskPage',
    path: '/desk/*page',
    summary: 'A page of the federation’s desk',
    description: 'The same content for each address: the script shows the page of the address.',
    request: { params: z.strictObject({ page: z.string() }), query: anyQuery },
  }),
  defineRoute({
    name: 'getWebAsset',
    method: 'GET',
    path: '/web/:asset',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    countedAs: 'file',
    tag: 'Administration',
    summary: 'A script, style or decoder of the desk',
    request: { params: z.strictObject({ asset: z.string() }), query: anyQuery },
    response: {
      content: ['text/javascript', 'text/css', 'application/wasm'],
      otherStatuses: [{ status: 304, description: 'The client has the content' }],
    },
    handler: async ({ params, header }) => {
      const content = readBuild().assets.get(params.asset);
      if (!content) throw new DomainError('not_found');
      return content(header);
    },
  }),
];
