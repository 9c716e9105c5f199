import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run areas:tables`: lists which area reads and writes which tables, from the queries. Fails if an area writes another area's table,
 * or reads a table of an upper area.
 */

const areasFolder = 'src/areas';
const platformFolder = 'src/platform';
const order = [...readFileSync('src/registry/areas.ts', 'utf8').matchAll(/^ {2}(\w+)Area,$/gm)].map(([, name = '']) =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
);

interface Use {
  table: string;
  file: string;
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
const usesIn = (paths: readonly string[], pattern: RegExp): Use[] =>
  paths.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, table = '']) => ({ table, file })));

const owners = new Map<string, string>();
for (const { table, file } of usesIn([...files(areasFolder), ...files(platformFolder)], /\btableName: '(\w+)'/g))
  owners.set(table, file.startsWith(areasFolder) ? (file.split('/')[2] ?? '') : 'platform');

const problems: string[] = [];
for (const area of order) {
  const own = files(join(areasFolder, area));
  const written = usesIn(own, /\b(?:insertInto|updateTable|deleteFrom)\(\s*'(\w+)/g);
  const read = usesIn(own, /\b(?:selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|innerJoinLateral|leftJoinLateral)\(\s*'(\w+)/g);
  for (const { table, file } of written) {
    const owner = owners.get(table);
    if (owner !== undefined && owner !== area) problems.push(`${file} writes ${table}, a table of ${owner}`);
  }
  for (const { table, file } of read) {
    const owner = owners.get(table);
    if (owner !== undefined && order.indexOf(owner) > order.indexOf(area))
      problems.push(`${file} reads ${table}, a table of ${owner} above it`);
  }
  const foreign = Map.groupBy(
    read.filter(({ table }) => owners.has(table) && owners.get(table) !== area),
    ({ table }) => table,
  );
  const reads = [...foreign].map(
    ([table, uses]) => `  reads ${table} of ${owners.get(table)}: ${[...new Set(uses.map(({ file }) => file))].join(', ')}`,
  );
  process.stdout.write([area, ...reads.toSorted(), ''].join('\n'));
}
process.stdout.write(problems.length === 0 ? 'Each area writes its own tables and reads downwards.\n' : `${problems.join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
