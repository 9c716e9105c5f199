import { type SelectQueryBuilder, sql } from 'kysely';
import { containing, type Database, type Tables } from '../../../platform/database/database.ts';
import { findRegistrations } from '../queries.ts';
import type { RegistrationRecord } from '../record.ts';
import type { RegistrationStatus } from '../states.ts';

export interface OwnFilter {
  ownerId: number;
  eventId?: number | undefined;
  status?: RegistrationStatus | undefined;
  page: number;
  limit: number;
}

/** Returns a page of an account's registrations, newest first, and the total. Four statements. Uses registrations_owner_index. */
export function listOwnRegistrations(db: Database, { ownerId, eventId, status, ...paging }: OwnFilter): Promise<Page> {
  const matching = db
    .selectFrom('registrations as r')
    .where((eb) =>
      eb.and([
        eb('r.ownerId', '=', ownerId),
        ...(eventId === undefined ? [] : [eb('r.eventId', '=', eventId)]),
        ...(status === undefined ? [] : [eb('r.status', '=', status)]),
      ]),
    );
  return readPage(db, matching, paging);
}

export interface EventFilter {
  eventId: number;
  class?: string | undefined;
  status?: RegistrationStatus | undefined;
  /** Part of the athlete's name or of a licence number, or a start number. */
  q?: string | undefined;
  page: number;
  limit: number;
}

/**
 * Returns a page of an event's registrations for the organizer, newest first, and the total, without those never submitted (REG-8). Four
 * statements. Uses registrations_event_index.
 */
export function listEventRegistrations(db: Database, { eventId, class: name, status, q, ...paging }: EventFilter): Promise<Page> {
  const matching = db
    .selectFrom('registrations as r')
    .where('r.submittedAt', 'is not', null)
    .where((eb) =>
      eb.and([
        eb('r.eventId', '=', eventId),
        ...(name === undefined ? [] : [eb('r.class', '=', name)]),
        ...(status === undefined ? [] : [eb('r.status', '=', status)]),
        ...(q === undefined
          ? []
          : [
              eb.or([
                eb('r.startNumber', '=', q),
                eb.exists(
                  eb
                    .selectFrom('profiles as p')
                    .whereRef('p.id', '=', 'r.profileId')
                    .where('p.name', 'ilike', containing(q))
                    .select(sql.lit(1).as('one')),
                ),
                eb.exists(
                  eb
                    .selectFrom('registration_licences as rl')
                    .innerJoin('certificates as c', 'c.applicationId', 'rl.applicationId')
                    .whereRef('rl.registrationId', '=', 'r.id')
                    .where('c.number', 'ilike', containing(q))
                    .select(sql.lit(1).as('one')),
                ),
              ]),
            ]),
      ]),
    );
  return readPage(db, matching, paging);
}

interface Page {
  records: RegistrationRecord[];
  total: number;
}

async function readPage(
  db: Database,
  matching: SelectQueryBuilder<{ [Table in keyof Tables]: Tables[Table] } & { r: Tables['registrations'] }, 'r', object>,
  { page, limit }: { page: number; limit: number },
): Promise<Page> {
  const [rows, { total }] = await Promise.all([
    matching
      .select('r.id')
      .orderBy('r.id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  const records = await findRegistrations(
    db,
    rows.map(({ id }) => id),
  );
  return { records: records.toReversed(), total };
}
