import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';

/** An agreement that was decided on long ago. */
export interface OldAgreement {
  id: number;
  eventId: number;
  ownerId: number;
  /** Its decision; without one, when it was made. */
  at: Date;
}

/** Yields agreements that are older than an instant, by their ids, for a person to decide (`npm run retention:report`). */
export async function* listOldAgreements(db: Database, before: Date): AsyncGenerator<OldAgreement> {
  const page = 1000;
  for (let behind = 0; ;) {
    const rows = await db
      .selectFrom('contracts as c')
      .innerJoin('events as e', 'e.id', 'c.eventId')
      .innerJoin('profiles as p', 'p.id', 'e.profileId')
      .select(['c.id', 'c.eventId', 'p.ownerId', sql<Date>`coalesce(c.decided_at, c.created_at)`.as('at')])
      .where('c.id', '>', behind)
      .where(sql<boolean>`coalesce(c.decided_at, c.created_at) < ${before}`)
      .orderBy('c.id')
      .limit(page)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    behind = last.id;
  }
}
