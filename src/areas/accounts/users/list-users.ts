import { type AliasedExpression, type Expression, sql, type SqlBool } from 'kysely';
import { type Database, customPlan, type Paging } from '../../../platform/database/database.ts';
import { newestFound } from '../../../platform/database/bounded-queries.ts';
import { countListed } from '../../../platform/database/tallies.ts';
import type { User, UserRole, UserStatus } from '../entities.ts';
import { splitSearch } from '../../../platform/text.ts';
import { sessionLimits } from '../sessions/sessions-in-force.ts';

export interface UserSearch {
  /**
   * An id, prefixes of words of name and e-mail (all must match), the prefix of a telephone number, or the number of a certificate of the
   * account's profiles.
   */
  q?: string | undefined;
  /** Whether `q` has whole words: a number is an id or a whole telephone number, a text with an `@` a whole e-mail. */
  isWhole?: boolean;
  role?: UserRole | undefined;
  status?: UserStatus | undefined;
}
export type UserFilter = UserSearch & Paging;

/** An account as administrators see it. */
export interface ListedUser extends Pick<
  User,
  'id' | 'email' | 'name' | 'phone' | 'role' | 'language' | 'emailConfirmed' | 'secondFactor' | 'status' | 'createdAt' | 'updatedAt'
> {
  /** Valid browser sessions. */
  sessions: number;
  /** Keys that are neither revoked nor expired; the keys of a blocked account count, although they are refused. */
  apiKeys: number;
  /** Last use of a session that still exists. */
  lastSeenAt: Date | null;
}

/** A search counts its matches exactly up to this number. */
const mostCounted = 10_000;

/**
 * Lists the accounts that a filter matches, newest first, in two statements. A search reads `user_words_index`; other filters read
 * `users_role_index` or `users_status_index` in the order of ids. A search is counted up to `mostCounted`; without one the total comes
 * from the counts that the database keeps.
 * @returns `isTotalCapped`: more accounts match than `total`
 */
export async function listUsers(
  db: Database,
  filter: UserFilter,
  now: Date,
): Promise<{ users: ListedUser[]; total: number; isTotalCapped: boolean }> {
  const offset = (filter.page - 1) * filter.limit;
  const [users, total] = await Promise.all([readUsers(db, filter, { limit: filter.limit, offset }, now), count(db, filter)]);
  const isTotalCapped = filter.q !== undefined && total > mostCounted;
  return { users, total: isTotalCapped ? mostCounted : total, isTotalCapped };
}

/** Reads accounts that a filter matches, newest first, without a count. */
export function readUsers(db: Database, filter: UserSearch, paging: { limit: number; offset: number }, now: Date): Promise<ListedUser[]> {
  return describe(db, pageOf(db, filter, paging), now)
    .orderBy('u.id', 'desc')
    .modifyEnd(customPlan)
    .execute();
}

/** @returns for a search, at most one more than `mostCounted` */
async function count(db: Database, filter: UserSearch): Promise<number> {
  if (filter.q === undefined)
    return countListed(db, 'users', (role, status) => (filter.role ?? role) === role && (filter.status ?? status) === status);
  const { total } = await db
    .selectFrom(
      found(db, filter, filter.q)
        .limit(sql.lit(mostCounted + 1))
        .as('s'),
    )
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .modifyEnd(customPlan)
    .executeTakeFirstOrThrow();
  return total;
}

/** Finds one account as the list shows it; null when it does not exist. */
export async function findListedUser(db: Database, id: number, now: Date): Promise<ListedUser | null> {
  const one = db.selectFrom('users as u').select('u.id').where('u.id', '=', id);
  return (await describe(db, one.as('s'), now).executeTakeFirst()) ?? null;
}

/** Ids of one page of matching accounts, newest first. */
function pageOf(db: Database, filter: UserSearch, paging: { limit: number; offset: number }): AliasedExpression<{ id: number }, 's'> {
  const { q } = filter;
  if (q === undefined) return fitting(db, filter).select('u.id').orderBy('u.id', 'desc').limit(paging.limit).offset(paging.offset).as('s');
  return newestFound(found(db, filter, q), 'w.user_id', paging).as('s');
}

/** Ids of the accounts that a search finds, unordered. A search without other filters does not read `users`. */
function found(db: Database, filter: UserSearch, q: string) {
  const matching = db
    .selectFrom('user_words as w')
    .where(filter.isWhole === true ? hasWholeWordsOf(q) : hasWordsOf(q))
    .select('w.userId as id');
  const { role, status } = filter;
  if (role === undefined && status === undefined) return matching;
  return matching.where((eb) => eb.exists(fitting(db, filter).whereRef('u.id', '=', sql.ref('w.user_id')).select(sql.lit(1).as('one'))));
}

function fitting(db: Database, { role, status }: UserSearch) {
  return db
    .selectFrom('users as u')
    .where((eb) =>
      eb.and([...(role === undefined ? [] : [eb('u.role', '=', role)]), ...(status === undefined ? [] : [eb('u.status', '=', status)])]),
    );
}

function hasWordsOf(q: string): Expression<SqlBool> {
  const { numbers, words: phrase } = splitSearch(q);
  // A text of commas alone has neither and finds nothing.
  if (phrase === '' && numbers.length > 0) return sql<SqlBool>`(${sql.join(byNumbers(numbers), sql` and `)})`;
  const byWords = sql<SqlBool>`${sql.join([...byNumbers(numbers), sql`w.words @@ query_of_users(${phrase})`], sql` and `)}`;
  const id = idIn(phrase);
  return id === null ? byWords : sql<SqlBool>`(${byWords} or w.user_id = ${id})`;
}

function byNumbers(numbers: readonly string[]) {
  return numbers.map((number) => sql<SqlBool>`w.user_id = any(array(select owner_id from certificate_holders(${number})))`);
}

function idIn(phrase: string): number | null {
  const id = /^[1-9]\d{0,9}$/.test(phrase) ? Number(phrase) : 0;
  return id >= 1 && id <= 2_147_483_647 ? id : null;
}

/** A telephone number is kept whole behind a plus (`words_of_user`); shorter ones are kept as beginnings too. */
const shortestPhone = 6;

function hasWholeWordsOf(q: string): Expression<SqlBool> {
  const { numbers, words: phrase } = splitSearch(q);
  const parts: Expression<SqlBool>[] = byNumbers(numbers);
  if (phrase.includes('@', 1)) parts.push(sql<SqlBool>`w.user_id = any(array(select id from users where email = ${phrase.toLowerCase()}))`);
  else if (/^[\d+() -]+$/.test(phrase)) {
    const digits = phrase.replaceAll(/\D/g, '');
    const national = /^[78]\d{10}$/.test(digits) ? digits.slice(1) : digits;
    const isPhone = digits.length < shortestPhone ? sql`false` : sql`w.words @@ ${`'+${national}'`}::tsquery`;
    parts.push(sql<SqlBool>`(${isPhone} or w.user_id = ${idIn(phrase) ?? 0})`);
  } else if (phrase !== '' || parts.length === 0) parts.push(sql<SqlBool>`w.words @@ all_words(words_apart(${phrase}))`);
  return sql<SqlBool>`(${sql.join(parts, sql` and `)})`;
}

/** Selects the columns of the chosen accounts. Reads `sessions_user_index` and `api_keys_user_index`. */
function describe(db: Database, chosen: AliasedExpression<{ id: number }, 's'>, now: Date) {
  // Sessions expire in real time, not by the registry's clock (ACC-21).
  const present = new Date();
  return db
    .selectFrom(chosen)
    .innerJoin('users as u', 'u.id', 's.id')
    .select(['u.id', 'u.email', 'u.name', 'u.phone', 'u.role', 'u.language', 'u.emailConfirmed', 'u.secondFactor'])
    .select(['u.status', 'u.createdAt', 'u.updatedAt'])
    .select((eb) => [
      eb
        .selectFrom('sessions as b')
        .whereRef('b.userId', '=', 'u.id')
        .where('b.expiresAt', '>', present)
        .where('b.lastSeenAt', '>', new Date(present.getTime() - sessionLimits.idleMs))
        .where('b.waitsForSecondFactor', '=', false)
        .select((count) => count.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('sessions'),
      eb
        .selectFrom('sessions as b')
        .whereRef('b.userId', '=', 'u.id')
        .select((last) => last.fn.max('b.lastSeenAt').as('at'))
        .$asScalar()
        .as('lastSeenAt'),
      eb
        .selectFrom('api_keys as k')
        .whereRef('k.userId', '=', 'u.id')
        .where('k.revokedAt', 'is', null)
        .where('k.expiresAt', '>', now)
        .select((count) => count.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('apiKeys'),
    ]);
}
