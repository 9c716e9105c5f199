import type { EntityManager } from '@mikro-orm/postgresql';
import type { OrmView } from './pipelined-driver.ts';
import { prepare } from './open-transaction.ts';
import type { OpenTransaction } from './open-transaction.ts';

/**
 * Runs a statement in the open transaction, or on any connection when there is none. Its text is fixed and its parameters are
 * `$1`, `$2`: each connection plans it once. `em.execute` writes the parameters into the text, and PostgreSQL plans that anew
 * at every use; for a statement with many joins planning takes several times as long as running it. It goes to the driver
 * itself, past the layers of the ORM.
 * @returns its rows; the driver's errors are what they are, `constraint-errors.ts` knows them
 */
export async function executePrepared<Row>(em: EntityManager, text: string, values: readonly unknown[]): Promise<Row[]> {
  const statement = prepare(text, values);
  const transaction = openTransactionOf(em);
  if (transaction) return (await transaction.query(statement)).rows as Row[];
  const pool = await em.getConnection().getNativeClient();
  return (await pool.query<never>(statement)).rows;
}

/**
 * Sends a statement whose outcome nobody needs before the transaction ends, and does not wait for it: COMMIT does, and fails
 * where it failed.
 */
export function sendPrepared(em: EntityManager, text: string, values: readonly unknown[]): void {
  const transaction = openTransactionOf(em);
  if (!transaction) throw new Error('there is no open transaction to send a statement in');
  transaction.send(prepare(text, values));
}

function openTransactionOf(em: EntityManager): OpenTransaction | undefined {
  const view: OrmView | undefined = em.getTransactionContext();
  return view?.transaction;
}
