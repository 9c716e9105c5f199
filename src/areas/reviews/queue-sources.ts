import { type Expression, type RawBuilder, sql } from 'kysely';
import type { LocalizedText } from '../../http/language.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';

/** A record that waits for an administrator, as `GET /admin/queue` lists it. */
export interface QueueRow {
  kind: string;
  id: number;
  status: string;
  title: string;
  waitingSince: Date;
  profileId: number | null;
  ownerId: number | null;
  flags: string[];
  /** The text that a search matches (`hasWords`) beside the words of the profile; null for a kind with thousands of waiting records. */
  searchText: string | null;
  /** The version that a decision names (REV-5); null for a kind without one. */
  updatedAt: Date | null;
  details: QueueDetails;
}

/** Facts of some kinds of records. */
export interface QueueDetails {
  /** Of a record of an event. */
  event_id?: number;
  /** Of an application: the version that a decision names. */
  revision?: number;
  /** Of an application: the title of its service. */
  service?: LocalizedText;
  /** Of a document or an incident. */
  type?: string;
  /** Of an event: the stage that waits. */
  stage?: string;
  /** The title without the service, the type or the stage before it; of an incident, the number of its invoice or the name of its user. */
  subject?: string;
  /** Of an agreement: the one that it replaced; null without one. */
  previous?: { id: number; number: string; version: number } | null;
}

/** A kind of record that waits for an administrator (REV-3); the area that owns it registers it. Reads a partial index of waiting rows. */
export interface QueueSource {
  kind: string;
  /** The status of waiting records. */
  waiting: string;
  /** Whether records returned to their owners (`changes`) can be listed too. */
  canBeReturned: boolean;
  /**
   * Selects the records of a status. The columns are those of `QueueRow` in its order, because the sources are joined by `union all`.
   * `flags` and `details` are `json` (`noFlags`, `noDetails`); `profileId` and `ownerId` are integers, also when they are null (`noRecord`).
   * Join tables that only titles and search text need by `leftJoin`, so that counting and sorting skip them.
   */
  select(db: Database, status: string): Expression<QueueRow>;
  /**
   * Returns further flags by record id, which a rule outside the database decides. Called once for the records of a page.
   * @param status the status of the records
   */
  furtherFlags?(db: Database, now: Date, ids: readonly number[], status: string): Promise<ReadonlyMap<number, readonly string[]>>;
}

export const queueSources = definePoint<QueueSource>('sources of the queue of administrators');

/** The `flags` of a kind without flags. */
export const noFlags: RawBuilder<string[]> = sql<string[]>`'[]'::json`;
/** The `searchText` of a kind that is found by the words of its profile alone. */
export const noText: RawBuilder<string | null> = sql<string | null>`null::text`;
/** The `updatedAt` of a kind without a version. */
export const noVersion: RawBuilder<Date | null> = sql<Date | null>`null::timestamptz`;
/** The `details` of a kind without any. */
export const noDetails: RawBuilder<QueueDetails> = sql<QueueDetails>`'{}'::json`;
/** The `profileId` or `ownerId` of a kind without a profile or an owner. */
const noRecord: RawBuilder<number | null> = sql<number | null>`null::int`;

/** Open incidents (REV-4). Reads `incidents_queue_index`. */
export const incidentSource: QueueSource = {
  kind: 'incident',
  waiting: 'unresolved',
  canBeReturned: false,
  select: (db) =>
    db
      .selectFrom('incidents as i')
      .leftJoin('users as u', (join) =>
        join.on('u.id', '=', sql<number>`case when ${sql.ref('i.subjectKind')} = 'user' then ${sql.ref('i.subjectId')}::int end`),
      )
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
        sql<string>`concat_ws(' ', ${sql.ref('i.kind')}, ${sql.ref('i.subjectKind')}, ${sql.ref('i.subjectId')},
          ${sql.ref('i.details')}->>'number', ${sql.ref('u.name')})`.as('searchText'),
        noVersion.as('updatedAt'),
        sql<QueueDetails>`json_build_object('type', ${sql.ref('i.kind')},
          'subject', coalesce(${sql.ref('u.name')}, ${sql.ref('i.details')}->>'number', ${sql.ref('i.subjectId')}))`.as('details'),
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
        sql<string>`concat_ws(' ', ${sql.ref('m.name')}, ${sql.ref('m.email')})`.as('searchText'),
        noVersion.as('updatedAt'),
        noDetails.as('details'),
      ]),
};
