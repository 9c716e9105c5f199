import { sql } from 'kysely';
import { type Database, hasWords, type Paging, readPage } from '../../../platform/database/database.ts';
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
  /** Parts of the athlete's name or of licence numbers, all in any order; or a start number. */
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
        ...(q === undefined ? [] : [eb.or([sql<boolean>`folded(r.start_number) = folded(${q})`, hasWords(searchText, q)])]),
      ]),
    );
  return readRecords(db, await readPage(matching.select('r.id').orderBy('r.id', 'desc'), paging));
}

/** Name of the athlete and numbers of the licences of a registration `r`. */
const searchText = sql<string>`concat_ws(' ',
  (select p.name from profiles p where p.id = r.profile_id),
  (select string_agg(c.number, ' ') from registration_licences rl join certificates c on c.application_id = rl.application_id
    where rl.registration_id = r.id))`;

interface Page {
  records: RegistrationRecord[];
  total: number;
}

async function readRecords(db: Database, { rows, total }: { rows: { id: number }[]; total: number }): Promise<Page> {
  const ids = rows.map(({ id }) => id);
  return { records: (await findRegistrations(db, ids)).toReversed(), total };
}
