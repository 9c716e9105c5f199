import { sql } from 'kysely';
import { profileFlags, soughtByProfile } from '../profiles/index.ts';
import type { QueueSource } from '../reviews/index.ts';

/**
 * Applications that wait for an administrator, read by `applications_queue_index`, and those that were returned, by `applications_returned_index`. A national certificate is approved by itself; the
 * others wait once they are paid. The status is a word of our own: it stands in the statement itself, so that the index fits.
 */
export const applicationQueueSource: QueueSource = {
  kind: 'application',
  waiting: 'submitted',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('applications as a')
      .leftJoin('services as s', 's.id', 'a.serviceId')
      .leftJoin('profiles as p', 'p.id', 'a.profileId')
      .where(sql<boolean>`${sql.ref('a.status')} = ${sql.lit(status)}`)
      .where('a.kind', '<>', sql.lit('national_certificate'))
      .where((eb) => eb.or([eb('a.paid', '=', true), eb('a.amountMinor', '=', 0)]))
      .select([
        sql.lit('application').as('kind'),
        'a.id',
        'a.status',
        sql<string>`(${sql.ref('s.title')}->>'en') || ': ' || ${sql.ref('p.name')}`.as('title'),
        sql<Date>`greatest(${sql.ref('a.submittedAt')}, ${sql.ref('a.paidAt')}, ${sql.ref('a.createdAt')})`.as('waitingSince'),
        'p.id as profileId',
        'a.ownerId',
        profileFlags('p').as('flags'),
        soughtByProfile('a.profileId').as('sought'),
      ]),
};
