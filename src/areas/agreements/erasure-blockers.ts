import { inList } from '../../platform/database/database.ts';
import type { ErasureBlocker } from '../../platform/erasure-blockers.ts';
import { livingEvents } from '../competitions/index.ts';
import { liveStatuses } from './contracts/states.ts';

/** The agreement of a competition that is over stays on record, and prevents nothing. */
export const agreementInForce: ErasureBlocker = {
  code: 'agreement_in_force',
  kind: 'contract',
  step: 'Cancel the agreement, or have the results of its competition approved.',
  find: (db, userId, limit) =>
    db
      .selectFrom('contracts as c')
      .innerJoin('events as e', 'e.id', 'c.eventId')
      .innerJoin('profiles as p', 'p.id', 'e.profileId')
      .select('c.id')
      .where('p.ownerId', '=', userId)
      .where('c.status', '=', inList(liveStatuses))
      .where('e.status', 'in', livingEvents)
      .orderBy('c.id')
      .limit(limit)
      .execute(),
};
