import { readFileSync } from 'node:fs';

/** The statuses and error codes of one route, as the OpenAPI document publishes them. */
export interface PublishedRoute {
  method: string;
  segments: readonly string[];
  /** Names of the query's parameters. */
  query: readonly string[];
  /** By status: the codes of a refusal. A success has none. */
  codes: ReadonlyMap<number, readonly string[]>;
  /** Whether the success is an envelope. */
  isEnvelope: boolean;
}

/** The status of each error code, as `docs/errors.md` lists them. */
export const statusOfCode: ReadonlyMap<string, number> = new Map(
  [...readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8').matchAll(/^- (\d{3}) `(\w+)`:/gm)].map(
    ([, status, code = '']) => [code, Number(status)],
  ),
);

interface OpenApiOperation {
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>;
}

const methods: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Reads the routes of an OpenAPI document. */
export function readRoutes(document: { paths: Record<string, Record<string, OpenApiOperation>> }): PublishedRoute[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.has(method))
      .map(([method, { parameters = [], responses }]): PublishedRoute => {
        const contents = Object.entries(responses).map(([status, { content }]) => [Number(status), content?.['application/json']] as const);
        return {
          method: method.toUpperCase(),
          segments: path.split('/'),
          query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
          codes: new Map(contents.map(([status, content]) => [status, Object.keys(content?.examples ?? {})])),
          isEnvelope: contents.some(([status, content]) => status < 300 && content !== undefined) && path !== '/openapi.json',
        };
      }),
  );
}

/** Finds the route of an operation, whatever its parameters are called; a literal segment is preferred. */
export function routeOf(routes: readonly PublishedRoute[], operation: string): PublishedRoute | undefined {
  const [method, path = ''] = operation.split(' ');
  const segments = path.split('/');
  const matching = routes.filter(
    (route) =>
      route.method === method &&
      route.segments.length === segments.length &&
      route.segments.every((segment, place) => segment === segments[place] || segment.startsWith('{')),
  );
  const literals = (route: PublishedRoute) => route.segments.filter((segment, place) => segment === segments[place]).length;
  return matching.toSorted((left, right) => literals(right) - literals(left))[0];
}
