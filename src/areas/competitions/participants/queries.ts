import { sql } from 'kysely';
import { type Database, inList } from '../../../platform/database/database.ts';
import type { Participant } from '../entities.ts';
import type { ResultStatus } from '../events/states.ts';

/** One line of the results of an event, as anybody may read it (decisions.md §6 "Public event"). */
export interface PublicResult {
  place: number | null;
  start_number: string | null;
  /** `category` of the participant: what registrations call so. */
  class: string | null;
  name: string;
  result: string | null;
  result_status: ResultStatus;
}

/** Start numbers as people order them, 9 before 10, also where letters stand in them. */
const byStartNumber = sql`length(start_number) nulls last, start_number`;

/** The results of an event: by class, in it by place, those without a place behind, by their start numbers. Uses participants_pkey. */
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

export interface ParticipantListing {
  eventId: number;
  page: number;
  limit: number;
}

/** A page of the participants of an event by their places, those without one behind, and how many there are. Uses participants_pkey. */
export async function listParticipants(
  db: Database,
  { eventId, page, limit }: ParticipantListing,
): Promise<{ participants: Readonly<Participant>[]; total: number }> {
  const all = db.selectFrom('participants').where('eventId', '=', eventId);
  const [participants, { total }] = await Promise.all([
    all
      .selectAll()
      .orderBy(sql`place nulls last, category nulls last, ${byStartNumber}, application_id`)
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { participants, total };
}

/** One participant of an event; null when there is none. */
export async function findParticipant(
  db: Database,
  { eventId, applicationId }: { eventId: number; applicationId: number },
): Promise<Readonly<Participant> | null> {
  const found = db.selectFrom('participants').selectAll().where('eventId', '=', eventId).where('applicationId', '=', applicationId);
  return (await found.executeTakeFirst()) ?? null;
}

/** An event that a profile took part in, by the list of its participants. */
export interface Participation {
  profileId: number;
  eventId: number;
  applicationId: number;
  title: string;
  startsAt: Date;
  endsAt: Date;
  category: string | null;
  startNumber: string | null;
  resultStatus: ResultStatus;
  place: number | null;
  result: string | null;
}

/** What these profiles took part in, the newest event first; a cancelled event counts for nobody. Uses participants_profile_index. */
export function participationsOf(db: Database, profileIds: readonly number[]): Promise<Participation[]> {
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
