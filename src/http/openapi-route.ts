import { z } from 'zod';
import { access } from './access.ts';
import type { Route } from './define-route.ts';
import { defineRoute } from './define-route.ts';
import { describeApi } from './openapi.ts';
import { body } from './reply.ts';

/** The machine-readable description; made once and before anybody asks: routes do not change while the process lives, and making it takes a while. */
export function createOpenApiRoute(published: readonly Route[], baseUrl: string): Route {
  const route: Route = defineRoute({
    name: 'getApiDescription',
    method: 'GET',
    path: '/openapi.json',
    access: access.public,
    isRateLimited: false,
    tag: 'Reference',
    summary: 'This document: OpenAPI 3.1',
    request: { query: z.strictObject({}) },
    response: { content: ['application/json'] },
    handler: async () => body(document, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' }),
  });
  const document = JSON.stringify(describeApi([...published, route], baseUrl));
  return route;
}
