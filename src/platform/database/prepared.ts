import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { Pool, PoolClient } from 'pg';

/**
 * Runs a statement in the open transaction, or on any connection when there is none. Its text is fixed and its parameters are
 * `$1`, `$2`: each connection plans it once. `em.execute` writes the parameters into the text, and PostgreSQL plans that anew
 * at every use; for a statement with many joins planning takes several times as long as running it.
 * @returns its rows; the driver's errors are what they are, `constraint-errors.ts` knows them
 */
export async function executePrepared<Row>(em: EntityManager, text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return rows;
}

/** Gives every statement with parameters a name on its connection; the ORM's own have none, so these are the ones from above. */
export function prepareStatements(pool: Pool): void {
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const named = (first: unknown, second: unknown, ...rest: unknown[]): unknown =>
      typeof first === 'string' && Array.isArray(second) && second.length > 0
        ? query({ name: nameOf(first), text: first, values: second }, ...rest)
        : query(first, second, ...rest);
    client.query = named as typeof client.query;
  });
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}
