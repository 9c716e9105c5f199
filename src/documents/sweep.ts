import type { EntityManager } from '@mikro-orm/postgresql';
import { dayOf } from '../platform/date-time.ts';

/** Ids after `afterId` of documents whose last day has passed and that are not marked `expired` yet; `isExpiryDue` in SQL. */
export async function findDue(em: EntityManager, now: Date, afterId: number, limit: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>(
    `select id from documents
      where id > ? and expires_at < ? and status in ('pending', 'approved', 'changes')
        and (status <> 'changes' or decided_at is null or decided_at < (expires_at + 1)::timestamp at time zone interval '5 hours')
      order by id limit ?`,
    [afterId, dayOf(now), limit],
  );
  return rows.map(({ id }) => id);
}

/** Ids after `afterId` of documents whose process must be running: whenever `viewDocument` says that it is not over. */
export async function findLive(em: EntityManager, afterId: number, limit: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>(
    `select id from documents
      where id > ? and (status in ('pending', 'changes') or (status = 'approved' and expires_at is not null))
      order by id limit ?`,
    [afterId, limit],
  );
  return rows.map(({ id }) => id);
}
