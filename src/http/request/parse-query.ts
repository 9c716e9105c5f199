/**
 * Parses a query in linear time; a repeated parameter becomes a list. Koa's own parser is quadratic: it takes a second for a long query of
 * `a&`.
 */
export function parseQuery(querystring: string): Record<string, string | string[]> {
  const byName = Map.groupBy(new URLSearchParams(querystring), ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, [first, ...others]]) => {
      const value = first?.[1] ?? '';
      return [name, others.length === 0 ? value : [value, ...others.map(([, other]) => other)]];
    }),
  );
}
