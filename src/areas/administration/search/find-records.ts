import { sql } from 'kysely';
import { type Database, customPlan, inList } from '../../../platform/database/database.ts';
import { newestFound } from '../../../platform/database/bounded-queries.ts';
import { dayOf } from '../../../platform/time/date-time.ts';
import { type ListedUser, readUsers } from '../../accounts/index.ts';
import { type ListedAthlete, listAthletesBelow, matchesWords, queryOfWords, type WordMatch } from '../athletes/list-athletes.ts';
import { type Found, mostResults } from './choose-results.ts';
import type { InvoiceName } from './read-search.ts';

/** A search by words, as the lists have it. */
export interface WordSearch {
  q: string;
  /** Whether all words are whole; otherwise they are beginnings. */
  isWhole: boolean;
}

/** The words of a search are searched in all lists at once; each list reads an index of words and gives at most `mostResults` rows. */
export async function findByWords(db: Database, now: Date, search: WordSearch): Promise<Found[]> {
  const [users, athletes, organizers, events] = await Promise.all([
    findUsers(db, now, search),
    findAthletes(db, now, search),
    findOrganizers(db, search),
    findEvents(db, search),
  ]);
  // Athletes and organizers are one kind.
  const newestFirst = [...athletes, ...organizers].toSorted((left, right) => Number(right.id) - Number(left.id));
  return [...users, ...newestFirst, ...events];
}

/** One digit alone begins a hundred thousand telephone numbers. */
function matchOf(isWhole: boolean): WordMatch {
  return isWhole ? 'whole' : 'long_beginnings';
}

async function findUsers(db: Database, now: Date, search: WordSearch): Promise<Found[]> {
  return (await readUsers(db, search, { limit: mostResults, offset: 0 }, now)).map(foundUser);
}

async function findAthletes(db: Database, now: Date, { q, isWhole }: WordSearch): Promise<Found[]> {
  return (await listAthletesBelow(db, now, { q, match: matchOf(isWhole) }, { beforeId: null, limit: mostResults })).map(foundAthlete);
}

/** Reads `organizer_entries_words_index`. */
async function findOrganizers(db: Database, { q, isWhole }: WordSearch): Promise<Found[]> {
  const matching = db
    .selectFrom('organizer_entries as e')
    .where(matchesWords(q, matchOf(isWhole)))
    .select('e.profileId as id');
  const ids = newestFound(matching, 'e.profile_id', { limit: mostResults, offset: 0 });
  return selectProfiles(db)
    .where('p.id', '=', sql<number>`any(array(${ids}))`)
    .orderBy('p.id', 'desc')
    .modifyEnd(customPlan)
    .execute();
}

/** Reads `event_entries_words_index`. */
async function findEvents(db: Database, { q, isWhole }: WordSearch): Promise<Found[]> {
  const matching = db
    .selectFrom('event_entries as e')
    .where(sql<boolean>`e.words @@ ${queryOfWords(q, matchOf(isWhole))}`)
    .select('e.eventId as id');
  const ids = newestFound(matching, 'e.event_id', { limit: mostResults, offset: 0 });
  const found = await selectEvents(db)
    .where('e.id', '=', sql<number>`any(array(${ids}))`)
    .orderBy('e.id', 'desc')
    .modifyEnd(customPlan)
    .execute();
  return found.map(foundEvent);
}

/** Reads `certificates_number_unique`. */
export function findCertificates(db: Database, numbers: readonly string[]): Promise<Found[]> {
  return selectApplications(db).where('c.number', '=', inList(numbers)).orderBy('a.id').limit(mostResults).execute();
}

/** Reads `contracts_number_unique`. */
export function findContractByNumber(db: Database, number: string): Promise<Found[]> {
  return selectContracts(db).where('c.number', '=', number).execute();
}

/** Reads `invoices_number_unique` and the primary key. */
export function findInvoices(db: Database, { number, id }: InvoiceName): Promise<Found[]> {
  return selectInvoices(db)
    .where((eb) => eb.or([eb('i.number', '=', number), eb('i.id', '=', id ?? 0)]))
    .execute();
}

/** Finds a record by its id, by kind; at most one. */
export const findById: Readonly<Record<string, (db: Database, id: number) => Promise<Found[]>>> = {
  user: async (db, id) => (await db.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', id).execute()).map(foundUser),
  profile: (db, id) => selectProfiles(db).where('p.id', '=', id).execute(),
  application: (db, id) => selectApplications(db).where('a.id', '=', id).execute(),
  document: (db, id) =>
    db
      .selectFrom('documents as d')
      .innerJoin('profiles as p', 'p.id', 'd.profileId')
      .select([sql.lit('document' as const).as('kind'), 'd.id', 'p.name as title', 'd.type as subtitle'])
      .where('d.id', '=', id)
      .execute(),
  event: async (db, id) => (await selectEvents(db).where('e.id', '=', id).execute()).map(foundEvent),
  registration: (db, id) =>
    db
      .selectFrom('registrations as r')
      .innerJoin('profiles as p', 'p.id', 'r.profileId')
      .innerJoin('events as e', 'e.id', 'r.eventId')
      .select([sql.lit('registration' as const).as('kind'), 'r.id', 'p.name as title', 'e.title as subtitle'])
      .where('r.id', '=', id)
      .execute(),
  contract: (db, id) => selectContracts(db).where('c.id', '=', id).execute(),
  invoice: (db, id) => selectInvoices(db).where('i.id', '=', id).execute(),
  incident: async (db, id) => {
    const rows = await db.selectFrom('incidents').select(['kind', 'subjectKind', 'subjectId']).where('id', '=', id).execute();
    return rows.map((row) => ({
      kind: 'incident',
      id,
      title: row.kind,
      subtitle: `${row.subjectKind}/${row.subjectId}`,
      path: `/admin/incidents/${id}`,
    }));
  },
  contact_message: async (db, id) => {
    const rows = await db.selectFrom('contact_messages').select(['name', 'email']).where('id', '=', id).execute();
    return rows.map(({ name, email }) => ({
      kind: 'contact_message',
      id,
      title: name,
      subtitle: email,
      path: `/admin/contact-messages/${id}`,
    }));
  },
};

function foundUser({ id, name, email }: Pick<ListedUser, 'id' | 'name' | 'email'>): Found {
  return { kind: 'user', id, title: name, subtitle: email };
}

function foundAthlete({ id, name, city, phone, ownerEmail }: ListedAthlete): Found {
  return { kind: 'profile', id, title: name, subtitle: [city, phone, ownerEmail].filter((part) => part !== null).join(', ') };
}

/** As `foundAthlete` describes them. */
function selectProfiles(db: Database) {
  return db
    .selectFrom('profiles as p')
    .innerJoin('users as u', 'u.id', 'p.ownerId')
    .select([
      sql.lit('profile' as const).as('kind'),
      'p.id',
      'p.name as title',
      sql<string>`concat_ws(', ', p.data->>'city', p.data->>'phone', u.email)`.as('subtitle'),
    ]);
}

/** By the number of the certificate, else by service and year. */
function selectApplications(db: Database) {
  return db
    .selectFrom('applications as a')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .innerJoin('services as s', 's.id', 'a.serviceId')
    .leftJoin('certificates as c', 'c.applicationId', 'a.id')
    .select([
      sql.lit('application' as const).as('kind'),
      'a.id',
      'p.name as title',
      sql<string>`coalesce(c.number, s.code || ' ' || a.year)`.as('subtitle'),
    ]);
}

function selectEvents(db: Database) {
  return db.selectFrom('events as e').select(['e.id', 'e.title', 'e.startsAt', 'e.location']);
}

function foundEvent({ id, title, startsAt, location }: { id: number; title: string; startsAt: Date; location: string }): Found {
  return { kind: 'event', id, title, subtitle: `${dayOf(startsAt)}, ${location}` };
}

function selectContracts(db: Database) {
  return db
    .selectFrom('contracts as c')
    .innerJoin('events as e', 'e.id', 'c.eventId')
    .select([sql.lit('contract' as const).as('kind'), 'c.id', 'c.number as title', 'e.title as subtitle']);
}

function selectInvoices(db: Database) {
  return db
    .selectFrom('invoices as i')
    .innerJoin('users as u', 'u.id', 'i.ownerId')
    .select([sql.lit('invoice' as const).as('kind'), 'i.id', 'i.number as title', 'u.name as subtitle']);
}
