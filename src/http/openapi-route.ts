import { z } from 'zod';
import { access } from './access.ts';
import { compressOnce } from './compressed-content.ts';
import type { Route } from './define-route.ts';
import { defineRoute } from './define-route.ts';
import { unchanged } from './docs-routes.ts';
import { describeApi } from './openapi.ts';

/** The machine-readable description; made once and before anybody asks: routes do not change while the process lives, and making it takes a while. */
export function createOpenApiRoute(published: readonly Route[], baseUrl: string): Route {
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
  const document = compressOnce(Buffer.from(JSON.stringify(describeApi([...published, route], baseUrl))), {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'public, max-age=300',
  });
  return route;
}
