import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { type CompressedContent, compressOnce } from '../../../http/response/cacheable.ts';
import { body } from '../../../http/response/reply.ts';
import { readWebBuild, webFileHeaders } from '../../../http/response/web-build.ts';

const anyQuery = z.looseObject({});
const nonceBytes = 16;

interface Desk {
  page: string;
  /** By path. */
  assets: ReadonlyMap<string, CompressedContent>;
}

let loaded: Desk | null = null;

/** Reads the build at the first request: only some processes serve the desk. */
function loadDesk(): Desk {
  if (loaded !== null) return loaded;
  const files = readWebBuild('desk');
  const assets = new Map(
    [...files].map(([path, content]) => {
      const policy = path.endsWith('.mjs') ? { 'Content-Security-Policy': workerPolicy } : {};
      return [path, compressOnce(content, { ...webFileHeaders(path), ...policy })];
    }),
  );
  loaded = { page: String(files.get('index.html')), assets };
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
    return body(loadDesk().page.replaceAll('NONCE', nonce), {
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
      const content = loadDesk().assets.get(`web/${params.asset}`);
      if (!content) throw new DomainError('not_found');
      return content(header);
    },
  }),
];
