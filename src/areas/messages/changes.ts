import { type ChangedRecord, no } from '../changes/index.ts';

/** Messages in the log of changes. */
export const messageChanges: readonly ChangedRecord[] = [
  {
    record: 'messenger',
    select: (db) =>
      db
        .selectFrom('conversations as c')
        .where('c.registrationId', 'is not', null)
        .select(['c.registrationId as id', no.status, 'c.athleteId as ownerId', 'c.organizerId', no.parent])
        .$narrowType<{ id: number }>(),
    path: ({ id }, reader) =>
      reader === 'administrator' ? `/event-registrations/${id}` : `/messenger/${sides[reader]}/registrations/${id}`,
  },
  {
    record: 'chat',
    select: (db) => db.selectFrom('users as u').select(['u.id', no.status, 'u.id as ownerId', no.organizer, no.parent]),
    path: ({ id }, reader) => (reader === 'owner' ? '/chat' : `/admin/chats/${id}`),
  },
];

const sides = { owner: 'athlete', organizer: 'organizer' } as const;
