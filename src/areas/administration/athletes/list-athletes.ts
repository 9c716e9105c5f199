import { type Expression, type RawBuilder, sql } from 'kysely';
import { type Database, plannedEachTime } from '../../../platform/database/database.ts';
import { yearOf } from '../../../platform/date-time.ts';
import type { ApplicationStatus } from '../../applications/index.ts';
import type { ReviewStatus } from '../../profiles/index.ts';

/** What a search asks of an athlete's words (`athlete_words` of the database); all of it must be there. */
export interface AthleteSearch {
  /** Beginnings of words, as people write them; they are folded like the words themselves. */
  words: string;
  /** What is sought as it stands, as text of a `tsquery`; empty when nothing is. */
  asItStands: string;
}

/** A phone, an IIN or an id, or the beginning of one, as people write it. */
const numberLike = /^[+() -]*\d[+\d() -]*$/;

/**
 * What is meant by the text of a search: a number is an id or the beginning of an IIN or a phone, however the phone is divided; what has an
 * `@` inside is the beginning of an e-mail; anything else are beginnings of words of name, city or e-mail.
 */
export function readAthleteSearch(text: string): AthleteSearch {
  if (numberLike.test(text)) {
    const digits = text.replaceAll(/\D/g, '');
    return { words: '', asItStands: `${beginningWith(digits)} | ${quoted(`#${digits}`)}` };
  }
  const parts = text.split(/\s+/);
  const isAddress = (part: string) => part.includes('@', 1);
  return {
    words: parts.filter((part) => !isAddress(part)).join(' '),
    asItStands: parts
      .filter(isAddress)
      .map((part) => beginningWith(part.toLowerCase()))
      .join(' & '),
  };
}

function beginningWith(lexeme: string): string {
  return `${quoted(lexeme)}:*`;
}

/** In a `tsquery`. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll(/['\\]/g, '$&$&')}'`;
}

/**
 * How an athlete stands for a national certificate of the present year (decisions.md §9). `issued`: has one that was not annulled and whose
 * application is not returned. `pending`: has none and an application for one is sent or returned. `not_issued`: neither.
 */
export const certificateStandings = ['issued', 'not_issued', 'pending'] as const;
export type CertificateStanding = (typeof certificateStandings)[number];

export interface AthleteFilter {
  /** Of the profile. */
  status?: ReviewStatus | undefined;
  certificate?: CertificateStanding | undefined;
  /** See `readAthleteSearch`. */
  q?: string | undefined;
}

/** An athlete as administrators list them. */
export interface ListedAthlete {
  id: number;
  name: string;
  status: ReviewStatus;
  photoStatus: ReviewStatus;
  city: string | null;
  phone: string | null;
  ownerId: number;
  ownerName: string;
  ownerEmail: string;
  /** Of the last national certificate issued for the present year; null when there is none. */
  number: string | null;
  validFrom: string | null;
  validUntil: string | null;
  /** The application that was opened last, for whatever service. */
  applicationId: number | null;
  applicationServiceId: number | null;
  applicationStatus: ApplicationStatus | null;
  documents: number;
  applications: number;
}

/** Athletes are counted exactly up to here; those that a search finds are counted by reading them. */
const mostCounted = { ofAll: 100_000, ofSearched: 10_000 };

/**
 * A page of the athletes that a filter matches, the newest first, and how many they are. Two statements. Without a search the ids of a page
 * and the count come from `athlete_entries_index`, `athlete_entries_status_index` or `athlete_entries_pending_index` alone; what is sought
 * rarely is found by `athlete_entries_words_index`. The rest of a row is read by its id, through `applications_profile_index` and
 * `documents_profile_index`.
 * @returns `isTotalCapped`: there are more than `total`
 */
export async function listAthletes(
  db: Database,
  now: Date,
  { page, limit, ...filter }: AthleteFilter & { page: number; limit: number },
): Promise<{ athletes: ListedAthlete[]; total: number; isTotalCapped: boolean }> {
  const most = filter.q === undefined ? mostCounted.ofAll : mostCounted.ofSearched;
  const shown = idsOf(db, now, filter, { beforeId: null, limit, offset: (page - 1) * limit });
  const [athletes, total] = await Promise.all([readAthletes(db, now, filter, shown), countAthletes(db, now, filter, most + 1)]);
  return { athletes, total: Math.min(total, most), isTotalCapped: total > most };
}

/** The next athletes that a filter matches below an id, the newest first, one statement; by the same indexes. */
export function listAthletesBelow(
  db: Database,
  now: Date,
  filter: AthleteFilter,
  { beforeId, limit }: { beforeId: number | null; limit: number },
): Promise<ListedAthlete[]> {
  const shown = idsOf(db, now, filter, { beforeId, limit, offset: 0 });
  return readAthletes(db, now, filter, shown);
}

/** How many athletes a filter matches. @param most where counting may stop */
export async function countAthletes(db: Database, now: Date, filter: AthleteFilter, most?: number): Promise<number> {
  const matching = entries(db, now, filter).select(sql.lit(1).as('one'));
  const { count } = await forItsValues(
    db.selectFrom((most === undefined ? matching : matching.limit(most)).as('e')).select((eb) => eb.fn.countAll<number>().as('count')),
    filter,
  ).executeTakeFirstOrThrow();
  return count;
}

/**
 * The ids of a page. What a search finds is taken from the index of words and put in order, as long as it is not too much; only words that
 * stand nearly everywhere are sought in the order of the list, where the page is soon full. Left to itself the server takes a rare
 * beginning of a word for one that stands in each two-hundredth row, and goes through all of them.
 */
function idsOf(
  db: Database,
  now: Date,
  filter: AthleteFilter,
  { beforeId, limit, offset }: { beforeId: number | null; limit: number; offset: number },
): Expression<{ profileId: number }> {
  const all = entries(db, now, filter).select('e.profileId');
  const matching = beforeId === null ? all : all.where('e.profileId', '<', beforeId);
  const inOrder = matching.orderBy('e.profileId', 'desc');
  if (filter.q === undefined) return inOrder.limit(limit).offset(offset);
  const isFew = sql<boolean>`((select count(*) from found) <= ${sql.lit(mostCounted.ofSearched)})`;
  return db
    .with(
      (found) => found('found').materialized(),
      () => matching.limit(sql.lit(mostCounted.ofSearched + 1)),
    )
    .selectFrom((eb) =>
      eb
        .selectFrom('found')
        .select('profileId')
        .where(isFew)
        .unionAll((other) => other.parens(inOrder.where(sql<boolean>`not ${isFew}`).limit(limit + offset)))
        .as('e'),
    )
    .select('e.profileId')
    .orderBy('e.profileId', 'desc')
    .limit(limit)
    .offset(offset);
}

function entries(db: Database, now: Date, { status, certificate, q }: AthleteFilter) {
  const year = yearOf(now);
  return db
    .selectFrom('athlete_entries as e')
    .where((eb) =>
      eb.and([
        ...(status === undefined ? [] : [eb('e.status', '=', status)]),
        ...(certificate === 'issued' ? [eb('e.issuedYear', '=', year)] : []),
        ...(certificate === 'pending' ? [eb('e.pendingYear', '=', year), eb('e.issuedYear', 'is distinct from', year)] : []),
        ...(certificate === 'not_issued'
          ? [eb('e.pendingYear', 'is distinct from', year), eb('e.issuedYear', 'is distinct from', year)]
          : []),
        ...(q === undefined ? [] : [matchesWords(q)]),
      ]),
    );
}

function matchesWords(q: string): RawBuilder<boolean> {
  const { words, asItStands } = readAthleteSearch(q);
  if (asItStands === '') return sql`e.words @@ calendar_query(${words})`;
  if (words === '') return sql`e.words @@ ${asItStands}::tsquery`;
  return sql`e.words @@ (calendar_query(${words}) && ${asItStands}::tsquery)`;
}

/** A rare word is best sought by its index, one that stands everywhere in the order of the list: that is seen by the word alone. */
function forItsValues<Query extends { modifyEnd(modifier: typeof plannedEachTime): Query }>(query: Query, { q }: AthleteFilter): Query {
  return q === undefined ? query : query.modifyEnd(plannedEachTime);
}

/** @param ids a selection of ids; as an array, so that the server reads the rest by them whatever it thinks of their number */
function readAthletes(db: Database, now: Date, filter: AthleteFilter, ids: Expression<{ profileId: number }>): Promise<ListedAthlete[]> {
  return forItsValues(
    db
      .selectFrom('profiles as p')
      .innerJoin('users as u', 'u.id', 'p.ownerId')
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom('applications as a')
            .innerJoin('certificates as c', 'c.applicationId', 'a.id')
            .whereRef('a.profileId', '=', 'p.id')
            .where('a.kind', '=', 'national_certificate')
            .where('a.status', '=', 'approved')
            .where('a.year', '=', yearOf(now))
            .select(['c.number', 'c.validFrom', 'c.validUntil'])
            .orderBy('a.id', 'desc')
            .limit(1)
            .as('c'),
        (join) => join.onTrue(),
      )
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom('applications as a')
            .whereRef('a.profileId', '=', 'p.id')
            .select(['a.id', 'a.serviceId', 'a.status'])
            .orderBy('a.id', 'desc')
            .limit(1)
            .as('l'),
        (join) => join.onTrue(),
      )
      .where('p.id', '=', sql<number>`any(array(${ids}))`)
      .select(['p.id', 'p.name', 'p.status', 'p.photoStatus', 'u.id as ownerId', 'u.name as ownerName', 'u.email as ownerEmail'])
      .select(['c.number', 'c.validFrom', 'c.validUntil'])
      .select(['l.id as applicationId', 'l.serviceId as applicationServiceId', 'l.status as applicationStatus'])
      .select((eb) => [
        fieldOf('city').as('city'),
        fieldOf('phone').as('phone'),
        eb
          .selectFrom('documents as d')
          .whereRef('d.profileId', '=', 'p.id')
          .select((count) => count.fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('documents'),
        eb
          .selectFrom('applications as a')
          .whereRef('a.profileId', '=', 'p.id')
          .select((count) => count.fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('applications'),
      ])
      .orderBy('p.id', 'desc'),
    filter,
  ).execute();
}

function fieldOf(name: 'city' | 'phone'): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref('p.data')}->>${sql.lit(name)}`;
}
