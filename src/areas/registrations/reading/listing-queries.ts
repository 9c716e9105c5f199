import { sql } from 'kysely';
import { containing, type Database, type Paging, readPage } from '../../../platform/database/database.ts';
import { findRegistrations, type RegistrationRecord } from '../queries.ts';
import type { RegistrationStatus } from '../states.ts';

export interface OwnFilter extends Paging {
  ownerId: number;
  eventId?: number | undefined;
  status?: RegistrationStatus | undefined;
}

/** Returns a page of an account's registrations, newest first, and the total. Four statements. Uses registrations_owner_index. */
export async function listOwnRegistrations(db: Database, { ownerId, eventId, status, ...paging }: OwnFilter): Promise<Page> {
  const matching = db
    .selectFrom('registrations as r')
    .where((eb) =>
      eb.and([
        eb('r.ownerId', '=', ownerId),
        ...(eventId === undefined ? [] : [eb('r.eventId', '=', eventId)]),
        ...(status === undefined ? [] : [eb('r.status', '=', status)]),
      ]),
    );
  return readRecords(db, await readPage(matching.select('r.id').orderBy('r.id', 'desc'), paging));
}

export interface EventFilter extends Paging {
  eventId: number;
  class?: string | undefined;
  status?: RegistrationStatus | undefined;
  /** Part of the athlete's name or of a licence number, or a start number. */
  q?: string | undefined;
}

/**
 * Returns a page of an event's registrations for the organizer, newest first, and the total, without those never submitted (REG-8). Four
 * statements. Uses registrations_event_index.
 */
export async function listEventRegistrations(db: Database, { eventId, class: name, status, q, ...paging }: EventFilter): Promise<Page> {
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
  return readRecords(db, await readPage(matching.select('r.id').orderBy('r.id', 'desc'), paging));
}

interface Page {
  records: RegistrationRecord[];
  total: number;
}

async function readRecords(db: Database, { rows, total }: { rows: { id: number }[]; total: number }): Promise<Page> {
  const ids = rows.map(({ id }) => id);
  return { records: (await findRegistrations(db, ids)).toReversed(), total };
}
