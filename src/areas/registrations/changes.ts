import type { ChangedRecord } from '../changes/index.ts';

/** Registrations in the log of changes; the organizer sees those that were submitted (REG-8). */
export const registrationChanges: readonly ChangedRecord[] = [
  {
    record: 'registration',
    select: (db) =>
      db
        .selectFrom('registrations as r')
        .innerJoin('events as e', 'e.id', 'r.eventId')
        .select(['r.id', 'r.status', 'r.ownerId', 'r.eventId as parentId'])
        .select((eb) => eb.case().when('r.submittedAt', 'is not', null).then(eb.ref('e.ownerId')).end().as('organizerId')),
    path: ({ id, parentId }, reader) => (reader === 'organizer' ? `/events/${parentId}/registrations` : `/event-registrations/${id}`),
  },
];
