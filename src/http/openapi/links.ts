import type { Route } from '../define-route.ts';
import type { Json, Shapes } from './shapes.ts';

/** Finds the schema of a reference. */
type Resolve = Shapes['resolve'];

/**
 * Describes the links of an answer (OpenAPI 3.1 "Link Object"): each possible next operation, with path parameters from the answer's `data`
 * or the request's path.
 * @param data published schema of the answer's `data`
 * @throws {Error} for an unpublished operation, an unknown or missing parameter of it, an unknown field of the answer, or an unknown
 *   parameter of the request
 */
export function describeLinks(route: Route, data: Json, published: ReadonlyMap<string, Route>, resolve: Resolve): Record<string, Json> {
  const expressionOf = (source: string, target: string) => {
    const isOfRequest = source.startsWith(':');
    const name = source.replace(':', '');
    if (isOfRequest && !route.request.params?.shape[name])
      throw new Error(`${route.name} links to ${target} by ${source}, which its own path does not have`);
    if (!isOfRequest && !hasField(data, name, resolve))
      throw new Error(`${route.name} links to ${target} by data.${name}, which it does not answer`);
    return isOfRequest ? `$request.path.${name}` : `$response.body#/data/${name}`;
  };
  const entries = Object.entries(route.links).map(([name, parameters]) => {
    const target = published.get(name);
    if (!target) throw new Error(`${route.name} links to ${name}, which is not published`);
    const wanted = Object.keys(target.request.params?.shape ?? {}).sort();
    const given = Object.keys(parameters).sort();
    if (wanted.join() !== given.join())
      throw new Error(`${route.name} links to ${name} by (${given.join(', ')}); its parameters are (${wanted.join(', ')})`);
    const expressions = Object.entries(parameters).map(([parameter, source]) => [parameter, expressionOf(source, name)]);
    return [name, { operationId: name, parameters: Object.fromEntries(expressions) as Json }] as const;
  });
  return Object.fromEntries(entries);
}

function hasField(schema: Json, field: string, resolve: Resolve): boolean {
  const target = typeof schema['$ref'] === 'string' ? resolve(schema['$ref']) : schema;
  const { properties } = (target ?? {}) as { properties?: Json };
  return properties?.[field] !== undefined;
}
