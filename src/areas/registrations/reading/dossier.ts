import { sql } from 'kysely';
import type { z } from 'zod';
import { type Database, inList } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import { participationsOf } from '../../competitions/index.ts';
import type { DossierSection, ProfileCounter } from '../../profiles/index.ts';
import { standingStatuses } from '../states.ts';
import { participationResponse } from './wire.ts';

/** Lists the competitions of a profile, newest first, each once, from registrations and participant lists. Two statements. */
export const participationSection: DossierSection = {
  field: 'participation',
  schema: participationResponse,
  async read(db, profileId): Promise<z.input<typeof participationResponse>> {
    const [registrations, participations] = await Promise.all([listCounted(db, profileId), participationsOf(db, [profileId])]);
    const events = new Map([...registrations, ...participations].map((row) => [row.eventId, row]));
    return [...events.values()]
      .toSorted((left, right) => right.startsAt.getTime() - left.startsAt.getTime() || right.eventId - left.eventId)
      .map(({ eventId, title, startsAt, endsAt }) => ({
        event_id: eventId,
        title,
        starts_at: formatDateTime(startsAt),
        ends_at: formatDateTime(endsAt),
        registrations: registrations
          .filter((registration) => registration.eventId === eventId)
          .map((registration) => ({
            registration_id: registration.id,
            class: registration.class,
            status: registration.status,
            start_number: registration.startNumber,
          })),
        results: participations
          .filter((participation) => participation.eventId === eventId)
          .map((participation) => ({
            application_id: participation.applicationId,
            class: participation.category,
            start_number: participation.startNumber,
            result_status: participation.resultStatus,
            place: participation.place,
            result: participation.result,
          })),
      }));
  },
};

/** Counts the competitions of each profile, from registrations and participant lists, each once. */
export const competitionsCounter: ProfileCounter = {
  field: 'competitions',
  select: (db, profileIds) =>
    db
      .selectFrom(
        db
          .selectFrom('registrations')
          .where('profileId', '=', inList(profileIds))
          .where('status', '=', inList(standingStatuses))
          .select(['profileId', 'eventId'])
          .union(db.selectFrom('participants').where('profileId', '=', inList(profileIds)).select(['profileId', 'eventId']))
          .as('c'),
      )
      .innerJoin('events as e', 'e.id', 'c.eventId')
      .where('e.status', '<>', 'cancelled')
      .groupBy('c.profileId')
      .select(['c.profileId', sql<number>`count(*)::integer`.as('count')]),
};

/** Uses registrations_profile_index. */
function listCounted(db: Database, profileId: number) {
  return db
    .selectFrom('registrations as r')
    .innerJoin('events as e', 'e.id', 'r.eventId')
    .where('r.profileId', '=', profileId)
    .where('r.status', '=', inList(standingStatuses))
    .where('e.status', '<>', 'cancelled')
    .select(['r.id', 'r.eventId', 'e.title', 'e.startsAt', 'e.endsAt', 'r.class', 'r.status', 'r.startNumber'])
    .orderBy('r.id')
    .execute();
}
