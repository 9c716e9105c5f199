import type { EntityManager } from '@mikro-orm/postgresql';

/** Invoices about which the bank is to be asked by now; the question at the end of their time is planned like the others. Uses invoices_open_index. */
export async function findDue(em: EntityManager, now: Date, afterId: number, limit: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>('select id from invoices where next_ask_at <= ? and id > ? order by id limit ?', [
    now,
    afterId,
    limit,
  ]);
  return rows.map(({ id }) => id);
}

/** Invoices about which a question is still planned: each has a process. */
export async function findLive(em: EntityManager, afterId: number, limit: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>('select id from invoices where next_ask_at is not null and id > ? order by id limit ?', [
    afterId,
    limit,
  ]);
  return rows.map(({ id }) => id);
}
