/**
 * The parameters of a query; one that stands there more than once is a list. Each is looked at once: Koa's own reading looks for all the
 * others of its name at each, and takes a second for a query of nothing but `a&`.
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
