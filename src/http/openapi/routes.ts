import { z } from 'zod';
import { access } from '../access/access.ts';
import { defineRoute, type Route } from '../define-route.ts';
import { compressOnce } from '../response/cacheable.ts';
import { pageFor } from '../response/reply.ts';
import { type BuildFacts, renderBuildPage } from './build-page.ts';
import { buildPagePath, startPagePath } from './guide.ts';
import { describeApi, type SentMessages } from './openapi.ts';
import { referenceScript, showReferencePage } from './reference/page.ts';
import { renderStartPage } from './start-page.ts';

/** The other status of `compressOnce`. */
export const unchanged = { status: 304, description: 'The client has the current content' } as const;

/** Routes of the interactive reference, with all scripts from this service, and of the page for programmers. */
export function createDocsRoutes(facts: BuildFacts): Route[] {
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
      handler: async () => showReferencePage(),
    }),
    defineRoute({
      name: 'showStartPage',
      method: 'GET',
      path: startPagePath,
      access: access.public,
      atRoot: true,
      tag: 'Reference',
      summary: 'Page for programmers: the main job, from registration to certificate',
      response: { content: ['text/html'] },
      handler: async ({ platform }) => pageFor(renderStartPage(platform.config)),
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
      name: 'getReferenceScript',
      method: 'GET',
      path: '/docs/:script',
      access: access.public,
      atRoot: true,
      countedAs: 'file',
      tag: 'Reference',
      summary: 'A script of the reference page',
      request: { params: z.strictObject({ script: z.enum(['start.js', 'standalone.esm.js']) }) },
      response: { content: ['text/javascript'], otherStatuses: [unchanged] },
      handler: async ({ params, header }) => referenceScript(params.script)(header),
    }),
    defineRoute({
      name: 'getReferenceChunk',
      method: 'GET',
      path: '/docs/chunks/:chunk',
      access: access.public,
      atRoot: true,
      countedAs: 'file',
      tag: 'Reference',
      summary: 'A part of the scripts of the reference page',
      request: { params: z.strictObject({ chunk: z.string().regex(/^[\w.-]+\.js$/) }) },
      response: { content: ['text/javascript'], otherStatuses: [unchanged] },
      handler: async ({ params, header }) => referenceScript(`chunks/${params.chunk}`)(header),
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
