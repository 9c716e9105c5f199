import type { Client } from 'pg';
import type { SentStatement } from './count-statements.ts';

/** How the server may plan a statement: for its values, or once for all. */
export type PlanMode = 'force_custom_plan' | 'force_generic_plan';

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/**
 * The rows that a statement takes from the tables, by the plan that takes most. Fails when it reads a whole table, unless it has nothing to
 * restrict it by but a limit and an offset.
 * @param bounded so many rows of a table may be read in its own order, where a limit ends it
 */
export async function countRowsRead(
  client: Client,
  { text, values }: SentStatement,
  modes: readonly PlanMode[],
  bounded = 0,
): Promise<number> {
  const given = values.length === 0 ? '' : `(${values.map((value) => literalOf(client, value)).join(', ')})`;
  let most = 0;
  await client.query(`prepare probe as ${text}`);
  try {
    for (const mode of modes) {
      await client.query(`set plan_cache_mode = ${mode}`);
      const { rows } = await client.query(`explain (analyze, format json) execute probe${given}`);
      let read = 0;
      const walk = (node: Node) => {
        if (node['Relation Name'] !== undefined) {
          const seen = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
          if (node['Node Type'] === 'Seq Scan' && values.length > 2 && seen > bounded)
            throw new Error(`reads all of ${node['Relation Name']}: ${text}`);
          read += seen;
        }
        node.Plans?.forEach(walk);
      };
      walk(rows[0]['QUERY PLAN'][0].Plan);
      most = Math.max(most, read);
    }
    return most;
  } finally {
    await client.query('deallocate probe');
  }
}

function literalOf(client: Client, value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.join(',')}}`);
  return client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}
