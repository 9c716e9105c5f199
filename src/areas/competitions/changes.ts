import { type ChangedRecord, no } from '../changes/index.ts';

/** Events and their additional documents in the log of changes. */
export const eventChanges: readonly ChangedRecord[] = [
  {
    record: 'event',
    select: (db) => db.selectFrom('events as e').select(['e.id', 'e.status', 'e.ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/events/${id}`,
  },
  {
    record: 'additional_document',
    select: (db) =>
      db
        .selectFrom('additional_documents as d')
        .innerJoin('events as e', 'e.id', 'd.eventId')
        .select(['d.id', 'd.status', 'e.ownerId', no.organizer, 'd.eventId as parentId']),
    path: ({ parentId }) => `/events/${parentId}/additional-documents`,
  },
];
