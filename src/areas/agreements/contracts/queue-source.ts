import { sql } from 'kysely';
import { livingEvents } from '../../competitions/index.ts';
import { noFlags, type QueueSource } from '../../reviews/index.ts';

/**
 * Signed agreements that wait for a decision; those of an event that is over leave the queue (AGR-7). Uses contracts_queue_index, whose
 * predicate needs literals.
 */
export const contractQueueSource: QueueSource = {
  kind: 'contract',
  waiting: 'pending',
  canBeReturned: false,
  select: (db, status) =>
    db
      .selectFrom('contracts as c')
      .innerJoin('events as e', 'e.id', 'c.eventId')
      .innerJoin('profiles as p', 'p.id', 'e.profileId')
      .innerJoin('users as u', 'u.id', 'c.ownerId')
      .where(sql<boolean>`${sql.ref('c.status')} = ${sql.lit(status)}`)
      .where('c.closedAt', 'is', null)
      .where('e.status', 'in', livingEvents)
      .select([
        sql.lit('contract').as('kind'),
        'c.id',
        'c.status',
        sql<string>`${sql.ref('c.number')} || ': ' || ${sql.ref('e.title')}`.as('title'),
        sql<Date>`coalesce(${sql.ref('c.scanUploadedAt')}, ${sql.ref('c.updatedAt')})`.as('waitingSince'),
        'e.profileId',
        'c.ownerId',
        noFlags.as('flags'),
        sql<string>`concat_ws(' ', ${sql.ref('c.number')}, ${sql.ref('e.title')}, ${sql.ref('p.name')}, ${sql.ref('u.email')})`.as(
          'sought',
        ),
      ]),
};
