import type { EntityManager } from '@mikro-orm/postgresql';

/** No date makes a profile due. */
export async function findDue(_em: EntityManager, _now: Date, _afterId: number, _limit: number): Promise<number[]> {
  return [];
}

/** Ids after `afterId` of profiles whose process must be running: whenever `viewProfile` says that it is not over. */
export async function findLive(em: EntityManager, afterId: number, limit: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>(
    `select id from profiles
      where id > ? and (status in ('pending', 'changes') or photo_status in ('pending', 'changes')) order by id limit ?`,
    [afterId, limit],
  );
  return rows.map(({ id }) => id);
}
