import { inList } from '../../platform/database/database.ts';
import type { ErasureBlocker } from '../../platform/erasure-blockers.ts';
import { livingEvents } from '../competitions/index.ts';
import { livingStatuses } from './states.ts';

export const openRegistration: ErasureBlocker = {
  code: 'open_registration',
  kind: 'registration',
  step: 'Withdraw the registration, or wait until the results of the competition are approved.',
  find: (db, userId, limit) =>
    db
      .selectFrom('registrations as r')
      .innerJoin('events as e', 'e.id', 'r.eventId')
      .select('r.id')
      .where('r.ownerId', '=', userId)
      .where('r.status', '=', inList(livingStatuses))
      .where('e.status', 'in', livingEvents)
      .orderBy('r.id')
      .limit(limit)
      .execute(),
};
