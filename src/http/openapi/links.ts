import type { Route } from '../define-route.ts';
import type { Json, Shapes } from './shapes.ts';

/** Finds the schema that a reference leads to. */
type Resolve = Shapes['resolve'];

/**
 * The links of one answer (OpenAPI 3.1 "Link Object"): each operation that goes on from here, with its path parameters taken from the
 * answer's `data` or from the path of the request.
 * @param data schema of the answer's `data` as it is published
 * @throws {Error} for a link to an operation that is not published, to a parameter that it does not have or lacks, from a field that
 * the answer does not have, or from a parameter that the request does not have
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
