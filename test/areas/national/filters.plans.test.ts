import fc from 'fast-check';
import { applicationStatuses } from '../../../src/areas/applications/states.ts';
import { type ExportList, exportLists, exportRelations } from '../../../src/areas/national/lists/fitness.ts';
import { findLists, listNationalCertificates, type NationalFilter } from '../../../src/areas/national/lists/queries.ts';
import { type Database, databaseOf } from '../../../src/platform/database/database.ts';
import { insertExport, insertNational, type NationalRow } from '../../support/factories/national.ts';
import { insertUsers } from '../../support/factories/rows.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/**
 * The list reads from a search table, by groups, that database triggers maintain. These tests compare it with a plain scan of the
 * applications, before and after changes.
 */

const at = new Date('2026-03-05T09:00:00+05:00');
const years = [2024, 2025, 2026];
const words = ['Ахметов', 'Ахметова', 'Ғалым', 'Өтеген', 'Ёлкин', 'Сәуле', 'Ли'];
const searched = ['ахм', 'галым', 'отеген ли', 'ЕЛКИН', 'саул', 'ли ах', 'нигде'];

let db: Database;
let close: () => Promise<void>;
let administrators: number[];

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  db = databaseOf(started.platform.orm.em.fork());
  administrators = await insertUsers(db, 2, at, 'administrator');
});
afterAll(() => close());

const anyName = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((chosen) => chosen.join(' '));
const anyRow = fc.record<Omit<NationalRow, 'ownerId'>>({
  name: anyName,
  year: fc.constantFrom(...years),
  serviceId: fc.constantFrom(1, 2, 3),
  status: fc.constantFrom(...applicationStatuses),
  payment: fc.constantFrom('none', 'paid', 'refunded'),
  printedName: fc.option(anyName),
});
const maybe = <Value>(values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
const anyFilter = fc.record<Omit<NationalFilter, 'administratorId'>>({
  year: maybe(years),
  serviceId: maybe([1, 2, 3, 4]),
  status: maybe(applicationStatuses),
  paid: maybe([true, false]),
  insurance: maybe(exportRelations),
  print: maybe(exportRelations),
  q: maybe(searched),
  page: fc.constantFrom(1, 1, 2),
  limit: fc.constantFrom(1, 3, 100),
});

/** The filter values of each application, read from the source tables. */
async function findFacts() {
  const rows = await db
    .selectFrom('applications as a')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .leftJoin('certificates as c', 'c.applicationId', 'a.id')
    .select(['a.id', 'a.year', 'a.serviceId', 'a.status', 'a.paid', 'a.refundTransactionId', 'p.name', 'c.snapshot'])
    .execute();
  const marks = await db
    .selectFrom('national_export_records')
    .select(['applicationId', 'list'])
    .where('exportedAt', 'is not', null)
    .execute();
  const entries = await db.selectFrom('national_list_entries').select(['administratorId', 'list', 'applicationId']).execute();
  return rows.map((row) => ({
    ...row,
    paid: row.paid && row.refundTransactionId === null,
    names: fold(`${row.name} ${row.snapshot?.holderName ?? ''}`),
    isExported: (list: ExportList) => marks.some((mark) => mark.applicationId === row.id && mark.list === list),
    isListed: (administratorId: number, list: ExportList) =>
      entries.some((entry) => entry.applicationId === row.id && entry.list === list && entry.administratorId === administratorId),
  }));
}
type Facts = Awaited<ReturnType<typeof findFacts>>[number];

const substitutes: Record<string, string> = { ё: 'е', ә: 'а', ғ: 'г', ө: 'о' };
const fold = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[ёәғө]/g, (letter) => substitutes[letter] ?? letter)
    .split(' ')
    .filter(Boolean);

function fits(facts: Facts, { year, serviceId, status, paid, q, administratorId, ...standings }: NationalFilter): boolean {
  const stands = exportLists.every((list) => {
    const wanted = standings[list];
    if (wanted === undefined) return true;
    return wanted === 'listed' ? facts.isListed(administratorId, list) : facts.isExported(list) === (wanted === 'exported');
  });
  return (
    stands &&
    (year === undefined || facts.year === year) &&
    (serviceId === undefined || facts.serviceId === serviceId) &&
    (status === undefined || facts.status === status) &&
    (paid === undefined || facts.paid === paid) &&
    (q === undefined || fold(q).every((word) => facts.names.some((name) => name.startsWith(word))))
  );
}

async function compare(filters: readonly Omit<NationalFilter, 'administratorId'>[]): Promise<void> {
  const facts = (await findFacts()).toSorted((a, b) => b.id - a.id);
  for (const [index, some] of filters.entries()) {
    const filter: NationalFilter = { ...some, administratorId: administrators[index % 2] ?? 0 };
    const { page, limit } = filter;
    const expected = facts.filter((each) => fits(each, filter));
    const found = await listNationalCertificates(db, filter);
    expect([filter, found.total, found.items.map(({ id }) => id)]).toEqual([
      filter,
      expected.length,
      expected.slice((page - 1) * limit, page * limit).map(({ id }) => id),
    ]);
    const shown = found.items.map(({ id, paid, status, snapshot, profileName }) => ({ id, paid, status, snapshot, profileName }));
    const stands = found.items.map(({ id }) => facts.find((each) => each.id === id));
    expect(shown).toEqual(
      stands.map((each) => ({ id: each?.id, paid: each?.paid, status: each?.status, snapshot: each?.snapshot, profileName: each?.name })),
    );
  }
}

test('every filter matches a plain scan, before and after changes to the applications', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRow, { minLength: 1, maxLength: 25 }),
      fc.array(fc.record({ nth: fc.nat(24), row: anyRow, list: fc.constantFrom(...exportLists), who: fc.nat(1), isReady: fc.boolean() }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.array(anyFilter, { minLength: 20, maxLength: 20 }),
      async (rows, changes, filters) => {
        await clear();
        const owners = await insertUsers(db, 1, at);
        const made = await insertNational(
          db,
          rows.map((row) => ({ ...row, ownerId: owners[0] ?? 0 })),
          at,
        );
        await compare(filters);
        for (const { nth, row, list, who, isReady } of changes) {
          const { id, profileId } = made[nth % made.length] ?? { id: 0, profileId: 0 };
          const administratorId = administrators[who] ?? 0;
          const { status = 'draft', name = '' } = row;
          await db.updateTable('applications').set({ status }).where('id', '=', id).execute();
          await db.updateTable('profiles').set({ name }).where('id', '=', profileId).execute();
          await insertExport(db, { administratorId, list, ids: [id], isReady }, at);
          await db
            .insertInto('national_list_entries')
            .values({ administratorId, list, applicationId: id, addedAt: at })
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
        // A finished export marks all its records at once.
        await db
          .updateTable('national_export_records')
          .set({ exportedAt: at })
          .where('position', '=', 1)
          .where('list', '=', 'print')
          .execute();
        await compare(filters);
        const lists = await findLists(db, administrators[0] ?? 0);
        expect(lists.review).toEqual([]);
      },
    ),
    { numRuns: 12 },
  );
});

async function clear(): Promise<void> {
  await db.deleteFrom('national_list_entries').execute();
  await db.deleteFrom('applications').execute();
}
