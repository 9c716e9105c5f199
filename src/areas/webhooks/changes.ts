import { type ChangedRecord, no } from '../changes/index.ts';

/** Webhooks in the log of changes. */
export const webhookChanges: readonly ChangedRecord[] = [
  {
    record: 'webhook',
    select: (db) => db.selectFrom('webhooks as w').select(['w.id', 'w.status', 'w.userId as ownerId', no.organizer, no.parent]),
    path: ({ id }) => `/webhooks/${id}`,
  },
];
