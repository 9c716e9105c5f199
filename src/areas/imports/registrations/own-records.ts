import { sql } from 'kysely';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import { competitionSpan, defaultSettings, type EventRecord, fittingKinds, foreignPapers } from '../../competitions/index.ts';
import { findPlaces, findRegistrations } from '../../registrations/index.ts';
import { type Entry, textIn } from '../sheet/entries.ts';
import { nameIn } from '../sheet/names.ts';
import { type Athlete, memberOf, type OwnRecords, partsOf, registrationIn } from './read-registration.ts';

/** Finds the records of an account that the rows of a sheet name. Eight statements for any number of rows. */
export async function findOwnRecords(
  ctx: Pick<CommandContext, 'db'>,
  event: EventRecord,
  ownerId: number,
  entries: readonly Entry[],
): Promise<OwnRecords> {
  const { db } = ctx;
  const athletes = await findAthletes(db, ownerId, namesIn(entries));
  const named = await findNamed(db, ownerId, event.id, entries);
  const ofNames = [...athletes.values()].flatMap((namesakes) => namesakes.map(({ id }) => id));
  const known = [...new Set([...ofNames, ...named.map(({ profileId }) => profileId)])];
  const numbers = entries.flatMap((entry) => partsOf(textIn(entry, 'licence_number').toUpperCase(), ','));
  const licences = await findLicences(db, event, ownerId, { profileIds: known, numbers });
  const profileIds = [...new Set([...known, ...licences.map(({ profileId }) => profileId)])];
  const places = await findPlaces(ctx, event.id, profileIds);
  const registrations = await findRegistrations(db, [...new Set([...named, ...places].map(({ id }) => id))]);
  const crewIds = registrations.flatMap(({ crew }) => crew.map(({ registrationId }) => registrationId));
  const [papers, members] = await Promise.all([
    db
      .selectFrom('documents')
      .where('profileId', '=', inList(profileIds))
      .where('type', '=', inList(foreignPapers))
      .where('status', '=', 'approved')
      .select(['id', 'profileId', 'type', 'number'])
      .orderBy('id')
      .execute(),
    db
      .selectFrom('registrations as r')
      .innerJoin('profiles as p', 'p.id', 'r.profileId')
      .where('r.id', '=', inList(crewIds))
      .select(['r.id', 'p.name'])
      .execute(),
  ]);
  return {
    settings: event.settings ?? defaultSettings,
    athletes,
    registrations: new Map(registrations.map((record) => [record.id, record])),
    licences,
    papers,
    members: new Map(members.map(({ id, name }) => [id, name])),
  };
}

/** Certificates of an account that an event may accept: of these profiles, or with one of these numbers. */
function findLicences(
  db: Database,
  { event }: EventRecord,
  ownerId: number,
  { profileIds, numbers }: { profileIds: readonly number[]; numbers: readonly string[] },
) {
  const { first, last } = competitionSpan(event);
  return db
    .selectFrom('applications as a')
    .innerJoin('certificates as c', 'c.applicationId', 'a.id')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .where('a.ownerId', '=', ownerId)
    .where((eb) => eb.or([eb('a.profileId', '=', inList(profileIds)), eb('c.number', '=', inList(numbers))]))
    .where('a.kind', '=', inList([...fittingKinds]))
    .where('c.validFrom', '<=', last)
    .where('c.validUntil', '>=', first)
    .where((eb) => eb.or([eb('a.disciplineId', 'is', null), eb('a.disciplineId', '=', event.disciplineId)]))
    .select(['a.id as applicationId', 'a.profileId', 'p.name as holder', 'c.number'])
    .orderBy('c.validFrom')
    .execute();
}

/** Finds own registrations of the event that rows name by number. */
async function findNamed(db: Database, ownerId: number, eventId: number, entries: readonly Entry[]) {
  const ids = entries.flatMap((entry) => registrationIn(entry) ?? []);
  if (ids.length === 0) return [];
  const named = db.selectFrom('registrations').select(['id', 'profileId']).where('id', '=', inList(ids));
  return named.where('ownerId', '=', ownerId).where('eventId', '=', eventId).execute();
}

/** Lists the names of athletes and of members of crews. */
function namesIn(entries: readonly Entry[]): string[] {
  const members = entries.flatMap((entry) => partsOf(textIn(entry, 'crew'), ';').map((part) => memberOf(part).member));
  return [...new Set([...entries.map((entry) => nameIn(entry)), ...members])].filter((name) => name !== '');
}

/** Finds own athletes by name, as the search reads names: Kazakh letters and ё also match as the Russian letters beside them. */
async function findAthletes(db: Database, ownerId: number, names: readonly string[]): Promise<ReadonlyMap<string, Athlete[]>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql<Athlete & { written: string }>`
    select w.name as written, p.id, p.data->>'birth_date' as "birthDate", p.data->>'phone' as phone
    from profiles p join unnest(${[...names]}::text[]) w(name) on folded(p.name) = folded(w.name)
    where p.owner_id = ${ownerId} and p.kind = 'athlete' order by p.id`.execute(db);
  return Map.groupBy(rows, ({ written }) => written);
}
