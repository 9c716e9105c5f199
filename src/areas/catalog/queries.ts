import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import type { BaseIndex, Discipline, Service } from './entities.ts';

export type CatalogDiscipline = Pick<Discipline, 'id' | 'code' | 'title'>;

/** A service of the catalog. Coefficients are exact decimal strings. */
export interface CatalogService extends Omit<Readonly<Service>, 'active'> {
  isActive: boolean;
  /** All disciplines of the service, active or not. If there are any, an application must name one (CAT-8). */
  disciplineIds: number[];
  /** Active disciplines of the service. */
  disciplines: CatalogDiscipline[];
}

/** The base calculation index of a year, tiyn. */
export type BaseIndexOfYear = Pick<BaseIndex, 'year' | 'amountMinor'>;

function selectServices(db: Database) {
  return db.selectFrom('services as s').select((eb) => [
    's.id',
    's.code',
    's.kind',
    's.title',
    's.category',
    's.profileKind',
    's.mrp',
    's.cisMrp',
    's.requiredDocuments',
    's.insuranceCoverageMrp',
    's.active as isActive',
    's.updatedAt',
    eb
      .selectFrom('service_disciplines as sd')
      .select((linked) =>
        linked.fn.coalesce(sql<number[]>`array_agg(sd.discipline_id order by sd.discipline_id)`, sql<number[]>`'{}'`).as('ids'),
      )
      .whereRef('sd.serviceId', '=', 's.id')
      .$asScalar()
      .$notNull()
      .as('disciplineIds'),
    jsonArrayFrom(
      eb
        .selectFrom('service_disciplines as sd')
        .innerJoin('disciplines as d', 'd.id', 'sd.disciplineId')
        .whereRef('sd.serviceId', '=', 's.id')
        .where('d.active', '=', true)
        .select(['d.id', 'd.code', 'd.title'])
        .orderBy('d.id'),
    ).as('disciplines'),
  ]);
}

/** Lists the services on sale, in catalog order (CAT-7). */
export function listActiveServices(db: Database): Promise<CatalogService[]> {
  return selectServices(db).where('s.active', '=', true).orderBy('s.id').execute();
}

/** Lists all services, on sale or not, in catalog order. */
export function listServices(db: Database): Promise<CatalogService[]> {
  return selectServices(db).orderBy('s.id').execute();
}

/** Finds a service, on sale or not. */
export async function findService(db: Database, id: number): Promise<CatalogService | null> {
  return (await selectServices(db).where('s.id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * Reads the base calculation index in force in a year: the newest that is not of a later year (CAT-1).
 * @throws {Error} when the table has none; the registry then cannot calculate prices
 */
export async function baseIndexOf(db: Database, year: number): Promise<BaseIndexOfYear> {
  const index = await db
    .selectFrom('base_indexes')
    .select(['year', 'amountMinor'])
    .where('year', '<=', year)
    .orderBy('year', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!index) throw new Error(`there is no base calculation index for ${year} or before`);
  return index;
}

/** The input of a price: coefficients of the service and base index in force (`PriceInput`). */
export interface Tariff extends Pick<Service, 'mrp' | 'cisMrp' | 'insuranceCoverageMrp'> {
  mrpMinor: number;
}

/** Reads the tariff of a service in a year, on sale or not, with the year of its index, in one statement. */
export function findTariff(db: Database, serviceId: number, year: number): Promise<Tariff & { year: number; isIndexInUse: boolean }> {
  return db
    .selectFrom('services as s')
    .innerJoinLateral(
      (eb) => eb.selectFrom('base_indexes').selectAll().where('year', '<=', year).orderBy('year', 'desc').limit(1).as('b'),
      (join) => join.onTrue(),
    )
    .select(['s.mrp', 's.cisMrp', 's.insuranceCoverageMrp', 'b.year', 'b.amountMinor as mrpMinor', 'b.inUse as isIndexInUse'])
    .where('s.id', '=', serviceId)
    .executeTakeFirstOrThrow();
}

/** Lists all disciplines, active or not. */
export function listDisciplines(db: Database): Promise<Discipline[]> {
  return db.selectFrom('disciplines').selectAll().orderBy('id').execute();
}

/** Lists all base calculation indexes, newest first. */
export function listBaseIndexes(db: Database): Promise<BaseIndex[]> {
  return db.selectFrom('base_indexes').selectAll().orderBy('year', 'desc').execute();
}

export async function findBaseIndex(db: Database, year: number): Promise<BaseIndex | null> {
  return (await db.selectFrom('base_indexes').selectAll().where('year', '=', year).executeTakeFirst()) ?? null;
}

/**
 * Reads the tariff of a year for the final price of an application or a fee. Marks its base index as used (CAT-4).
 *
 * The first caller sets the mark under the row lock. A concurrent change of the amount either commits before and is used, or comes
 * after and is refused. Later callers find the mark and lock nothing.
 */
export async function takeTariff({ db }: Pick<CommandContext, 'db'>, serviceId: number, ofYear: number): Promise<Tariff> {
  const { year, isIndexInUse, ...tariff } = await findTariff(db, serviceId, ofYear);
  if (isIndexInUse) return tariff;
  const { amountMinor } = await db
    .updateTable('base_indexes')
    .set({ inUse: true })
    .where('year', '=', year)
    .returning('amountMinor')
    .executeTakeFirstOrThrow();
  return { ...tariff, mrpMinor: amountMinor };
}
