import { z } from 'zod';
import { access } from './access.ts';
import type { Route } from './define-route.ts';
import { defineRoute } from './define-route.ts';
import { describeApi } from './openapi.ts';
import { body } from './reply.ts';

/** The machine-readable description; made once, since routes do not change while the process lives. */
export function createOpenApiRoute(published: readonly Route[], baseUrl: string): Route {
  let document: string | null = null;
  const route: Route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    access: access.public,
    isRateLimited: false,
    tag: 'Reference',
    summary: 'This document: OpenAPI 3.1',
    request: { query: z.strictObject({}) },
    response: { content: ['application/json'] },
    handler: async () => {
      document ??= JSON.stringify(describeApi([...published, route], baseUrl));
      return body(document, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' });
    },
  });
  return route;
}
