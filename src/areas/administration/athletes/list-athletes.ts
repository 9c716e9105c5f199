import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely';
import { type Database, customPlan, type Tables } from '../../../platform/database/database.ts';
import { yearOf } from '../../../platform/time/date-time.ts';
import { literals } from '../../../platform/database/literals.ts';
import { splitSearch } from '../../../platform/text.ts';
import { type ApplicationStatus, issuedStatuses } from '../../applications/index.ts';
import type { ReviewStatus } from '../../profiles/index.ts';

/** Query on an athlete's words (`athlete_words` of the database) and certificates; all parts must match. */
interface AthleteSearch {
  /** Prefixes of words as the client wrote them; folded like the words themselves. */
  words: string;
  /** Text that is matched unchanged, as a `tsquery`; may be empty. */
  asItStands: string;
  /** Whole numbers of certificates. */
  numbers: string[];
}

/** How the words of a text match those of a row. `long_beginnings`: as beginnings, but numbers of up to four digits whole. */
export type WordMatch = 'beginnings' | 'long_beginnings' | 'whole';

const wordQueries: Record<WordMatch, (words: string) => RawBuilder<unknown>> = {
  beginnings: (words) => sql`calendar_query(${words})`,
  long_beginnings: (words) => sql`long_beginnings(calendar_words(${words}))`,
  whole: (words) => sql`all_words(calendar_words(${words}))`,
};

/** Returns the words of a text as a `tsquery`; all must match. */
export function queryOfWords(words: string, match: WordMatch = 'beginnings'): RawBuilder<unknown> {
  return wordQueries[match](words);
}

/** A phone, an IIN or an id, or the beginning of one, as clients write it. */
export const numberLike = /^[+() -]*\d[+\d() -]*$/;

/**
 * Parses the text of a search. A number is an id or the prefix of an IIN or a phone, with any separators. Text with an `@` inside is the
 * prefix of an e-mail, a certificate number is one. Other text is prefixes of words of name, city or e-mail.
 * @param isWhole whether whole words, numbers and e-mails are meant instead of their prefixes
 */
export function readAthleteSearch(text: string, isWhole = false): AthleteSearch {
  const lexeme = isWhole ? quoted : beginningWith;
  if (numberLike.test(text)) {
    const digits = text.replaceAll(/\D/g, '');
    return { words: '', asItStands: `${lexeme(digits)} | ${quoted(`#${digits}`)}`, numbers: [] };
  }
  const { numbers, words } = splitSearch(text);
  const parts = words.split(/\s+/).filter((part) => part !== '');
  const isAddress = (part: string) => part.includes('@', 1);
  return {
    words: parts.filter((part) => !isAddress(part)).join(' '),
    asItStands: parts
      .filter(isAddress)
      .map((part) => lexeme(part.toLowerCase()))
      .join(' & '),
    numbers,
  };
}

function beginningWith(lexeme: string): string {
  return `${quoted(lexeme)}:*`;
}

/** Quotes a word for a `tsquery`. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll(/['\\]/g, '$&$&')}'`;
}

/**
 * State of an athlete's national certificate of the present year (ADM-2). `issued`: it has a number and is not annulled. `pending`: no such certificate, and an application is submitted or returned. `not_issued`: neither.
 */
export const certificateStandings = ['issued', 'not_issued', 'pending'] as const;
type CertificateStanding = (typeof certificateStandings)[number];

export interface AthleteFilter {
  /** Status of the profile. */
  status?: ReviewStatus | undefined;
  certificate?: CertificateStanding | undefined;
  /** See `readAthleteSearch`. */
  q?: string | undefined;
  /** How the words of `q` match; beginnings when absent. */
  match?: WordMatch | undefined;
}

/** An athlete in the administrators' list. */
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
  /** Number of the last national certificate of the present year; null without one. */
  number: string | null;
  validFrom: string | null;
  validUntil: string | null;
  /** The latest application, of any service. */
  applicationId: number | null;
  applicationServiceId: number | null;
  applicationStatus: ApplicationStatus | null;
  documents: number;
  applications: number;
}

/** Totals are exact up to these numbers (API-5); the matches of a search are counted by reading them. */
const mostCounted = { ofAll: 100_000, ofSearched: 10_000 };

/**
 * Lists a page of the athletes that a filter matches, newest first, with the total, in two statements.
 *
 * Without a search, ids and count come from `athlete_entries_index`, `athlete_entries_status_index` or `athlete_entries_pending_index`
 * alone. Rare words are found by `athlete_entries_words_index`. The other columns are read by id, through `applications_profile_index`
 * and `documents_profile_index`.
 * @returns `isTotalCapped`: more athletes match than `total`
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

/** Lists the next matching athletes below an id, newest first, in one statement; reads the same indexes. */
export function listAthletesBelow(
  db: Database,
  now: Date,
  filter: AthleteFilter,
  { beforeId, limit }: { beforeId: number | null; limit: number },
): Promise<ListedAthlete[]> {
  const shown = idsOf(db, now, filter, { beforeId, limit, offset: 0 });
  return readAthletes(db, now, filter, shown);
}

/** Counts the athletes that a filter matches. @param most number at which the count may stop */
export async function countAthletes(db: Database, now: Date, filter: AthleteFilter, most?: number): Promise<number> {
  const matching = entries(db, now, filter).select(sql.lit(1).as('one'));
  const { count } = await forItsValues(
    db.selectFrom((most === undefined ? matching : matching.limit(most)).as('e')).select((eb) => eb.fn.countAll<number>().as('count')),
    filter,
  ).executeTakeFirstOrThrow();
  return count;
}

/**
 * Selects the ids of a page. A search reads the index of words and sorts the matches. A search with too many matches reads the rows in
 * the order of the list instead, where the page is soon full. The planner alone would choose wrongly: it assumes that a rare prefix
 * matches every two-hundredth row, and scans all rows.
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

function entries(db: Database, now: Date, { status, certificate, q, match }: AthleteFilter) {
  const year = yearOf(now);
  const eb = expressionBuilder<{ e: Tables['athlete_entries'] }, 'e'>();
  const isNot = (...columns: ('issuedYear' | 'earlierIssuedYear' | 'pendingYear' | 'earlierPendingYear')[]) =>
    columns.map((column) => eb(`e.${column}`, 'is distinct from', year));
  return db.selectFrom('athlete_entries as e').where(
    eb.and([
      ...(status === undefined ? [] : [eb('e.status', '=', status)]),
      ...(certificate === 'issued' ? [eb.or([eb('e.issuedYear', '=', year), eb('e.earlierIssuedYear', '=', year)])] : []),
      ...(certificate === 'pending'
        ? [
            // Nobody applies for a later year than the next (APP-19).
            eb('e.pendingYear', 'in', [year, year + 1]),
            eb.or([eb('e.pendingYear', '=', year), eb('e.earlierPendingYear', '=', year)]),
            ...isNot('issuedYear', 'earlierIssuedYear'),
          ]
        : []),
      ...(certificate === 'not_issued' ? [...isNot('pendingYear', 'earlierPendingYear'), ...isNot('issuedYear', 'earlierIssuedYear')] : []),
      ...(q === undefined ? [] : [matchesWords(q, match)]),
    ]),
  );
}

/** Whether the words of a row `e` match a search; the row is of an athlete or, with the same words, of an organizer. */
export function matchesWords(q: string, match?: WordMatch): RawBuilder<boolean> {
  const { words, asItStands, numbers } = readAthleteSearch(q, match === 'whole');
  const query = queryOfWords(words, match);
  const parts = numbers.map((number) => sql<boolean>`e.profile_id = any(array(select profile_id from certificate_holders(${number})))`);
  if (words !== '' && asItStands !== '') parts.push(sql`e.words @@ (${query} && ${asItStands}::tsquery)`);
  else if (asItStands !== '') parts.push(sql`e.words @@ ${asItStands}::tsquery`);
  else if (words !== '' || parts.length === 0) parts.push(sql`e.words @@ ${query}`);
  return sql`(${sql.join(parts, sql` and `)})`;
}

/** Plans a search for its values: a rare word needs the index of words, a frequent one the order of the list. */
function forItsValues<Query extends { modifyEnd(modifier: typeof customPlan): Query }>(query: Query, { q }: AthleteFilter): Query {
  return q === undefined ? query : query.modifyEnd(customPlan);
}

/** @param ids selects the ids; used as an array, so that the planner reads the rows by id whatever number it estimates */
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
            .where('a.status', 'in', literals(issuedStatuses))
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
