import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { type CompressedContent, compressOnce } from '../../../http/response/cacheable.ts';
import type { Brand } from '../../../platform/brand/brand.ts';
import { buildGate, type GateAsset } from './assets.ts';

const tag = 'Session, captcha, public';
const anyQuery = z.looseObject({});
const unchanged = [{ status: 304, description: 'The client has the current content' }];

/** Own files only; a photo is a blob. */
const gatePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

let contents: ReadonlyMap<string, CompressedContent> | null = null;

/** Builds the files at the first request: only some processes serve the page. */
function contentOf(brand: Brand, name: string): CompressedContent {
  contents ??= new Map([...buildGate(brand)].map(([key, asset]) => [key, compressOnce(asset.content, gateHeaders(key, asset))]));
  const content = contents.get(name);
  if (!content) throw new DomainError('not_found');
  return content;
}

/** @param name below `/gate/`; empty for the page */
export function gateHeaders(name: string, { type }: GateAsset): Record<string, string> {
  return {
    'Content-Type': type,
    'Content-Security-Policy': gatePolicy,
    // The browser asks each time, and the service worker keeps a release together.
    'Cache-Control': 'no-cache',
    ...(name === '' ? { 'Permissions-Policy': 'camera=(self)' } : {}),
    ...(name === 'service-worker.js' ? { 'Service-Worker-Allowed': '/gate' } : {}),
  };
}

/** The page for people at a gate (GAT-7). */
export const gateRoutes: Route[] = [
  defineRoute({
    name: 'showGate',
    method: 'GET',
    path: '/gate',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    countedAs: 'file',
    tag,
    summary: 'Page that verifies certificates without a network',
    description: 'Installable; works without a network after one visit.',
    request: { query: anyQuery },
    response: { content: ['text/html'], otherStatuses: unchanged },
    handler: async ({ platform, header }) => contentOf(platform.brand, '')(header),
  }),
  defineRoute({
    name: 'getGateAsset',
    method: 'GET',
    path: '/gate/:asset',
    access: access.public,
    atRoot: true,
    answersPeople: true,
    countedAs: 'file',
    tag,
    summary: 'A file of the gate page',
    request: { params: z.strictObject({ asset: z.string() }), query: anyQuery },
    response: {
      content: ['text/javascript', 'text/css', 'image/png', 'image/svg+xml', 'application/manifest+json'],
      otherStatuses: unchanged,
    },
    handler: async ({ platform, params, header }) => contentOf(platform.brand, params.asset)(header),
  }),
];
