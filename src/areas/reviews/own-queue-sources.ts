import { sql } from 'kysely';
import { noFlags, noRecord, type QueueSource } from './queue-sources.ts';

/** Open incidents (REV-4). Reads `incidents_queue_index`. */
export const incidentSource: QueueSource = {
  kind: 'incident',
  waiting: 'unresolved',
  canBeReturned: false,
  select: (db) =>
    db
      .selectFrom('incidents as i')
      .where('i.resolvedAt', 'is', null)
      .select([
        sql.lit('incident').as('kind'),
        'i.id',
        sql.lit('unresolved').as('status'),
        sql<string>`${sql.ref('i.kind')} || ': ' || ${sql.ref('i.subjectKind')} || ' ' || ${sql.ref('i.subjectId')}`.as('title'),
        'i.at as waitingSince',
        noRecord.as('profileId'),
        noRecord.as('ownerId'),
        noFlags.as('flags'),
        sql<string>`concat_ws(' ', ${sql.ref('i.kind')}, ${sql.ref('i.subjectKind')}, ${sql.ref('i.subjectId')})`.as('sought'),
      ]),
};

/** Unanswered messages of the contact form (ACC-16). Reads `contact_messages_queue_index`, whose predicate needs the status as a literal. */
export const contactMessageSource: QueueSource = {
  kind: 'contact_message',
  waiting: 'new',
  canBeReturned: false,
  select: (db) =>
    db
      .selectFrom('contact_messages as m')
      .where('m.status', '=', sql.lit('new'))
      .select([
        sql.lit('contact_message').as('kind'),
        'm.id',
        'm.status',
        'm.name as title',
        'm.createdAt as waitingSince',
        noRecord.as('profileId'),
        noRecord.as('ownerId'),
        noFlags.as('flags'),
        sql<string>`concat_ws(' ', ${sql.ref('m.name')}, ${sql.ref('m.email')})`.as('sought'),
      ]),
};
