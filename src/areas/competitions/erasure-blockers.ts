import type { ErasureBlocker } from '../../platform/erasure-blockers.ts';
import { living } from './events/queries.ts';

export const eventToCome: ErasureBlocker = {
  code: 'event_to_come',
  kind: 'event',
  step: 'Cancel the competition, or have its results approved; the federation cancels one that is published.',
  find: (db, userId, limit) =>
    db
      .selectFrom('events as e')
      .innerJoin('profiles as p', 'p.id', 'e.profileId')
      .select('e.id')
      .where('p.ownerId', '=', userId)
      .where('e.status', 'in', living)
      .orderBy('e.id')
      .limit(limit)
      .execute(),
};
