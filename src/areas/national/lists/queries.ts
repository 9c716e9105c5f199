import { type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { countUpTo, newestFound } from '../../../platform/database/bounded-queries.ts';
import { type Database, customPlan, type Tables, inList } from '../../../platform/database/database.ts';
import { jsonOf } from '../../../platform/database/json-rows.ts';
import { countListed } from '../../../platform/database/tallies.ts';
import { splitSearch } from '../../../platform/text.ts';
import type { ApplicationStatus } from '../../applications/index.ts';
import { isKept, photoOf } from '../exports/queries.ts';
import { type ExportList, exportLists, type ExportRelation, type ListFacts, type NationalList } from './fitness.ts';

/** Filter of the list; an absent field does not restrict it. */
export interface NationalFilter extends Partial<Record<ExportList, ExportRelation | undefined>> {
  year?: number | undefined;
  serviceId?: number | undefined;
  status?: ApplicationStatus | undefined;
  paid?: boolean | undefined;
  /** A number, an id, an IIN, or prefixes of words of a name; all must match, in any order. */
  q?: string | undefined;
  /** The owner of the lists that `listed` refers to. */
  administratorId: number;
  page: number;
  limit: number;
}

/** A row of the administrators' list: an application for a national certificate, issued or not. */
export type ListedCertificate = Awaited<ReturnType<ReturnType<typeof selectListed>['execute']>>[number];

/** Searches count exactly up to this number (API-5). */
const mostCounted = 10_000;

/**
 * Lists a page of national certificates, newest first, with the number of matches.
 *
 * Without a search, national_certificates_group_index yields the groups with equal filter columns, and the page reads the newest rows of
 * each matching group. The database maintains the size of each group. A search for an id, IIN, number or list uses its own index, words use
 * national_certificates_words_index; both count up to `mostCounted`.
 * @returns `isTotalCapped`: more rows match than `total`
 */
export async function listNationalCertificates(
  db: Database,
  filter: NationalFilter,
): Promise<{ items: ListedCertificate[]; total: number; isTotalCapped: boolean }> {
  const { page, limit } = filter;
  const offset = (page - 1) * limit;
  const shown = usesSearchIndex(filter)
    ? newestFound(searchedIds(db, filter), 'n.application_id', { limit, offset })
    : groupedIds(db, filter, offset + limit)
        .orderBy('newest.applicationId', 'desc')
        .limit(limit)
        .offset(offset);
  const [items, counted] = await Promise.all([
    selectListed(db).innerJoin(shown.as('s'), 's.id', 'a.id').orderBy('a.id', 'desc').modifyEnd(customPlan).execute(),
    usesSearchIndex(filter)
      ? countUpTo(db, searchedIds(db, filter), mostCounted, { hasCustomPlan: true })
      : countGroups(db, filter).then((total) => ({ total, isTotalCapped: false })),
  ]);
  return { items, ...counted };
}

function countGroups(db: Database, { year, serviceId, status, paid, insurance, print }: NationalFilter): Promise<number> {
  const isOf = (wanted: number | string | undefined, part: string) => wanted === undefined || String(wanted) === part;
  const is = (wanted: boolean | undefined, part: 't' | 'f') => wanted === undefined || wanted === (part === 't');
  const isExported = (wanted: ExportRelation | undefined) => (wanted === undefined ? undefined : wanted === 'exported');
  return countListed(
    db,
    'national',
    (...of) =>
      isOf(year, of[0]) &&
      isOf(serviceId, of[1]) &&
      isOf(status, of[2]) &&
      is(paid, of[3]) &&
      is(isExported(insurance), of[4]) &&
      is(isExported(print), of[5]),
  );
}

/** Reads an administrator's lists as application ids, in the order of addition. */
export async function findLists(db: Database, administratorId: number): Promise<Record<NationalList, number[]>> {
  const entries = await db
    .selectFrom('national_list_entries')
    .select(['list', 'applicationId'])
    .where('administratorId', '=', administratorId)
    .orderBy('addedAt')
    .orderBy('applicationId')
    .execute();
  const idsOf = (wanted: NationalList) => entries.flatMap(({ list, applicationId }) => (list === wanted ? [applicationId] : []));
  return { review: idsOf('review'), insurance: idsOf('insurance'), print: idsOf('print') };
}

function usesSearchIndex(filter: NationalFilter): boolean {
  return filter.q !== undefined || exportLists.some((list) => filter[list] === 'listed');
}

function searchedIds(db: Database, filter: NationalFilter) {
  return db.selectFrom('national_certificates as n').select('n.applicationId as id').where(matches(filter)).where(matchesSearch(filter));
}

/** Selects the newest rows of each matching group. */
function groupedIds(db: Database, filter: NationalFilter, most: number) {
  return db
    .selectFrom(groupsOf(filter.year).as('n'))
    .where(matches(filter))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('national_certificates as c')
          .select('c.applicationId')
          .where(sql<boolean>`${columnsOf('c')} = ${columnsOf('n')}`)
          .orderBy('c.applicationId', 'desc')
          .limit(most)
          .as('newest'),
      (join) => join.onTrue(),
    )
    .select('newest.applicationId as id');
}

/** The columns that make a group, in the order of the index. */
const groupColumns = ['year', 'service_id', 'status', 'paid', 'insurance_exported', 'print_exported'] as const;
type Group = Pick<Tables['national_certificates'], 'year' | 'serviceId' | 'status' | 'paid' | 'insuranceExported' | 'printExported'>;

function columnsOf(alias: string): RawBuilder<unknown> {
  return sql`(${sql.join(groupColumns.map((column) => sql.ref(`${alias}.${column}`)))})`;
}

/**
 * Lists the existing groups of one year or of all years by a loose index scan: one index lookup for each group. The year is tested after
 * the lookup, so that a lookup stops at the next group instead of scanning the year.
 */
function groupsOf(year: number | undefined): RawBuilder<Group> {
  const columns = sql.join(groupColumns.map((column) => sql.ref(column)));
  const [ofYear, isInYear] = year === undefined ? [sql`true`, sql`true`] : [sql`c.year = ${year}`, sql`next.year = ${year}`];
  return sql<Group>`(
    with recursive groups as (
      (select ${columns} from national_certificates c where ${ofYear} order by ${columns} limit 1)
      union all
      select next.* from groups g, lateral (
        select ${columns} from national_certificates c where ${columnsOf('c')} > ${columnsOf('g')} order by ${columns} limit 1
      ) next where ${isInYear}
    ) select * from groups
  )`;
}

function matches({ year, serviceId, status, paid, insurance, print }: NationalFilter): Expression<SqlBool> {
  const eb = expressionBuilder<{ n: Group }, 'n'>();
  return eb.and([
    ...(year === undefined ? [] : [eb('n.year', '=', year)]),
    ...(serviceId === undefined ? [] : [eb('n.serviceId', '=', serviceId)]),
    ...(status === undefined ? [] : [eb('n.status', '=', status)]),
    ...(paid === undefined ? [] : [eb('n.paid', '=', paid)]),
    ...(insurance === undefined || insurance === 'listed' ? [] : [eb('n.insuranceExported', '=', insurance === 'exported')]),
    ...(print === undefined || print === 'listed' ? [] : [eb('n.printExported', '=', print === 'exported')]),
  ]);
}

/** Restricts to the administrator's lists and to the search text, where given. */
function matchesSearch({ q, administratorId, ...filter }: NationalFilter): Expression<SqlBool> {
  const eb = expressionBuilder<Tables & { n: Tables['national_certificates'] }, 'n'>();
  const listed = exportLists.filter((list) => filter[list] === 'listed');
  return eb.and([
    ...listed.map((list) =>
      eb(
        'n.applicationId',
        'in',
        eb
          .selectFrom('national_list_entries as e')
          .select('e.applicationId')
          .where('e.administratorId', '=', administratorId)
          .where('e.list', '=', list),
      ),
    ),
    ...(q === undefined ? [] : [fits(q)]),
  ]);
}

const largestId = 2_147_483_647;

/** Recognizes numbers, IINs and ids by their form: no name has digits. */
function fits(text: string): Expression<SqlBool> {
  const eb = expressionBuilder<Tables & { n: Tables['national_certificates'] }, 'n'>();
  const { numbers, words: q } = splitSearch(text);
  if (numbers.length > 0)
    return eb.and([
      ...numbers.map((number) =>
        eb('n.applicationId', 'in', eb.selectFrom('certificates as c').select('c.applicationId').where('c.number', '=', number)),
      ),
      ...(q === '' ? [] : [fits(q)]),
    ]);
  if (/^\d{12}$/.test(q))
    return eb(
      'n.applicationId',
      'in',
      eb.selectFrom('applications as a').innerJoin('profiles as p', 'p.id', 'a.profileId').select('a.id').where('p.iin', '=', q),
    );
  if (/^\d+$/.test(q)) return Number(q) > largestId ? eb.lit(false) : eb('n.applicationId', '=', Number(q));
  return sql<SqlBool>`n.words @@ calendar_query(${q})`;
}

function selectListed(db: Database) {
  return db
    .selectFrom('applications as a')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .innerJoin('users as u', 'u.id', 'a.ownerId')
    .innerJoin('services as v', 'v.id', 'a.serviceId')
    .leftJoin('certificates as c', 'c.applicationId', 'a.id')
    .select(['a.id', 'a.profileId', 'a.year', 'a.status', 'a.data', 'a.amountMinor', 'a.insuranceCoverageMinor', 'a.revision'])
    .select(['a.submittedAt', 'a.approvedAt', 'p.name as profileName', 'c.number', 'c.validFrom', 'c.validUntil', 'c.snapshot'])
    .select((eb) => [
      eb
        .and([eb('a.paid', '=', true), eb('a.refundTransactionId', 'is', null)])
        .$castTo<boolean>()
        .as('paid'),
      jsonOf(eb, 'v', ['id', 'code', 'title', 'category']).as('service'),
      jsonOf(eb, 'u', ['id', 'name', 'email']).as('owner'),
      // Uses national_export_records_application_index.
      jsonArrayFrom(
        eb
          .selectFrom('national_export_records as r')
          .innerJoin('national_exports as x', 'x.id', 'r.exportId')
          .whereRef('r.applicationId', '=', 'a.id')
          .where('r.exportedAt', 'is not', null)
          .select((record) => ['r.list', record.ref('r.exportedAt').$castTo<string>().as('at'), 'x.administratorId as actor_id'])
          .orderBy('r.exportedAt')
          .orderBy('r.exportId'),
      ).as('exports'),
    ]);
}

export interface LockedList {
  administratorId: number;
  list: NationalList;
  /** Application ids, in the order of addition. */
  ids: number[];
}

/** Locks and reads a personal list. An advisory lock, because an empty list has no row to lock. */
export async function lockList({ db }: CommandContext, administratorId: number, list: NationalList): Promise<LockedList> {
  const name = `national_list:${administratorId}:${list}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
  return { administratorId, list, ids: (await findLists(db, administratorId))[list] };
}

/** Reads the list facts of applications by id; unknown ids are absent. */
export async function findListFacts(db: Database, ids: readonly number[]): Promise<Map<number, ListFacts>> {
  const rows = await db
    .selectFrom('applications as a')
    .leftJoin('certificates as c', 'c.applicationId', 'a.id')
    .leftJoin('files as f', (join) => join.on('f.id', '=', photoOf).on(isKept))
    .where('a.id', '=', inList(ids))
    .select(['a.id', 'a.kind', 'a.status'])
    .select((eb) => [
      eb
        .or([eb.and([eb('a.paid', '=', true), eb('a.refundTransactionId', 'is', null)]), eb('a.amountMinor', '=', 0)])
        .$castTo<boolean>()
        .as('isSettled'),
      eb('c.applicationId', 'is not', null).$castTo<boolean>().as('hasCertificate'),
      eb('f.id', 'is not', null).$castTo<boolean>().as('isPhotoAvailable'),
    ])
    .execute();
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}
