import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { type CompressedContent, compressOnce } from '../../../http/response/cacheable.ts';
import { readWebBuild } from '../../../http/response/web-build.ts';
import type { Brand } from '../../../platform/brand/brand.ts';
import { makeRelease } from './release.ts';

const tag = 'Session, captcha, public';
const anyQuery = z.looseObject({});
const unchanged = [{ status: 304, description: 'The client has the current content' }];

let contents: ReadonlyMap<string, CompressedContent> | null = null;

/** Reads the build at the first request: only some processes serve the page. */
function contentOf(brand: Brand, address: string): CompressedContent {
  contents ??= new Map(
    [...makeRelease(readWebBuild('gate'), brand)].map(([at, { content, headers }]) => [at, compressOnce(content, headers)]),
  );
  const content = contents.get(address);
  if (!content) throw new DomainError('not_found');
  return content;
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
    handler: async ({ platform, header }) => contentOf(platform.brand, '/gate')(header),
  }),
  defineRoute({
    name: 'getGateAsset',
    method: 'GET',
    path: '/gate/*asset',
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
    handler: async ({ platform, params, header }) => contentOf(platform.brand, `/gate/${params.asset}`)(header),
  }),
];
