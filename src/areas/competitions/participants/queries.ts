import { sql } from 'kysely';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Database, inList, type Paging, readPage } from '../../../platform/database/database.ts';
import type { Participant } from '../entities.ts';
import { holdOwnEvent } from '../events/queries.ts';
import type { EventRecord } from '../events/record.ts';
import { type ResultStatus, areParticipantsOpen } from '../events/states.ts';

/** One line of an event's public results. */
export interface PublicResult {
  place: number | null;
  start_number: string | null;
  /** `category` of the participant; registrations name it `class`. */
  class: string | null;
  name: string;
  result: string | null;
  result_status: ResultStatus;
}

/** Orders start numbers as people do: 9 before 10, also with letters. */
const byStartNumber = sql`length(start_number) nulls last, start_number`;

/** Lists the results of an event by class, place and start number; lines without a place come last in a class. Uses participants_pkey. */
export async function publicResults(db: Database, eventId: number): Promise<PublicResult[]> {
  const rows = await db
    .selectFrom('participants')
    .where('eventId', '=', eventId)
    .select(['place', 'startNumber', 'category', 'name', 'result', 'resultStatus'])
    .orderBy(sql`category nulls last, place nulls last, ${byStartNumber}, application_id`)
    .execute();
  return rows.map(({ place, startNumber, category, name, result, resultStatus }) => ({
    place,
    start_number: startNumber,
    class: category,
    name,
    result,
    result_status: resultStatus,
  }));
}

/** Returns a page of an event's participants by place, those without a place last, and the total. Uses participants_pkey. */
export function listParticipants(
  db: Database,
  { eventId, ...paging }: Paging & { eventId: number },
): Promise<{ rows: Readonly<Participant>[]; total: number }> {
  const all = db.selectFrom('participants').where('eventId', '=', eventId).selectAll();
  return readPage(all.orderBy(sql`place nulls last, category nulls last, ${byStartNumber}, application_id`), paging);
}

export async function findParticipant(
  db: Database,
  { eventId, applicationId }: { eventId: number; applicationId: number },
): Promise<Readonly<Participant> | null> {
  const found = db.selectFrom('participants').selectAll().where('eventId', '=', eventId).where('applicationId', '=', applicationId);
  return (await found.executeTakeFirst()) ?? null;
}

/** Lists the events that these profiles took part in, the newest first, without cancelled ones. Uses participants_profile_index. */
export function participationsOf(db: Database, profileIds: readonly number[]) {
  return db
    .selectFrom('participants as p')
    .innerJoin('events as e', 'e.id', 'p.eventId')
    .where('p.profileId', '=', inList(profileIds))
    .where('e.status', '<>', 'cancelled')
    .select([
      'p.profileId',
      'p.eventId',
      'p.applicationId',
      'e.title',
      'e.startsAt',
      'e.endsAt',
      'p.category',
      'p.startNumber',
      'p.resultStatus',
      'p.place',
      'p.result',
    ])
    .orderBy('e.startsAt', 'desc')
    .orderBy('e.id', 'desc')
    .orderBy('p.applicationId')
    .execute();
}

/**
 * Locks the caller's event with an open list of participants (EVT-7). Results cannot be submitted before the transaction ends.
 * @throws {DomainError} not_found; participants_closed with the status of the event and of its results
 */
export async function holdOpenParticipantList(ctx: CommandContext, eventId: number): Promise<EventRecord> {
  const record = await holdOwnEvent(ctx, eventId);
  if (areParticipantsOpen(record)) return record;
  const { event, stages } = record;
  const message = event.status === 'published' ? undefined : 'The list of participants is open only while the event is published.';
  throw new DomainError('participants_closed', { status: event.status, results: stages.results.status }, message);
}
