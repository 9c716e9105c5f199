/**
 * Parses a query; a repeated parameter becomes a list. Linear: Koa's own parser searches all values of a name for each one, and takes a
 * second for a query of nothing but `a&`.
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
