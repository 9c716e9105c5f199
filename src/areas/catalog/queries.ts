import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { LocalizedText } from '../../http/language.ts';
import type { CommandContext } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { yearOf } from '../../platform/date-time.ts';
import type { BaseIndex, Discipline, ServiceKind } from './entities.ts';
import type { ProfileKind, RequiredDocument } from './kinds.ts';

export interface CatalogDiscipline {
  id: number;
  code: string;
  title: LocalizedText;
}

/** A service as the catalog sells it. Coefficients are decimal strings, as exact as the table holds them. */
export interface CatalogService {
  id: number;
  code: string;
  kind: ServiceKind;
  title: LocalizedText;
  category: string | null;
  profileKind: ProfileKind;
  mrp: string;
  cisMrp: string | null;
  requiredDocuments: RequiredDocument[];
  insuranceCoverageMrp: number | null;
  isActive: boolean;
  /** Whether it is taken for one discipline; for another it is taken without. */
  takesDiscipline: boolean;
  /** Those open to applicants. */
  disciplines: CatalogDiscipline[];
}

/** The base calculation index of a year, tiyn. */
export interface BaseIndexOfYear {
  year: number;
  amountMinor: number;
}

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
    eb
      .exists(eb.selectFrom('service_disciplines as sd').select('sd.serviceId').whereRef('sd.serviceId', '=', 's.id'))
      .$castTo<boolean>()
      .as('takesDiscipline'),
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

/** Every service on sale, in the order of the catalog. */
export function listActiveServices(db: Database): Promise<CatalogService[]> {
  return selectServices(db).where('s.active', '=', true).orderBy('s.id').execute();
}

/** One service, on sale or not. */
export async function findService(db: Database, id: number): Promise<CatalogService | null> {
  return (await selectServices(db).where('s.id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * The base calculation index in force: the newest that is not of a later year (decisions.md §4).
 * @throws {Error} when the table holds none so old: the registry cannot price anything then
 */
export async function currentBaseIndex(db: Database, now: Date): Promise<BaseIndexOfYear> {
  const year = yearOf(now);
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

/** What a price is made of: the coefficients of a service and the index in force (`PriceInput`). */
export interface Tariff {
  mrpMinor: number;
  mrp: string;
  cisMrp: string | null;
  insuranceCoverageMrp: number | null;
}

/** The present tariff of a service, on sale or not, and the year of its index; in one statement. */
export function findTariff(db: Database, serviceId: number, now: Date): Promise<Tariff & { year: number; isIndexInUse: boolean }> {
  return db
    .selectFrom('services as s')
    .innerJoinLateral(
      (eb) => eb.selectFrom('base_indexes').selectAll().where('year', '<=', yearOf(now)).orderBy('year', 'desc').limit(1).as('b'),
      (join) => join.onTrue(),
    )
    .select(['s.mrp', 's.cisMrp', 's.insuranceCoverageMrp', 'b.year', 'b.amountMinor as mrpMinor', 'b.inUse as isIndexInUse'])
    .where('s.id', '=', serviceId)
    .executeTakeFirstOrThrow();
}

/** A service as administrators edit it: with all its disciplines, open or not. */
export interface EditedService extends Omit<CatalogService, 'disciplines' | 'takesDiscipline'> {
  disciplineIds: number[];
  updatedAt: Date;
}

function selectEdited(db: Database) {
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
  ]);
}

/** Every service, on sale or not, in the order of the catalog. */
export function listEditedServices(db: Database): Promise<EditedService[]> {
  return selectEdited(db).orderBy('s.id').execute();
}

export async function findEditedService(db: Database, id: number): Promise<EditedService | null> {
  return (await selectEdited(db).where('s.id', '=', id).executeTakeFirst()) ?? null;
}

/** Every discipline, open or not. */
export function listDisciplines(db: Database): Promise<Discipline[]> {
  return db.selectFrom('disciplines').selectAll().orderBy('id').execute();
}

/** Every base calculation index, the newest first. */
export function listBaseIndexes(db: Database): Promise<BaseIndex[]> {
  return db.selectFrom('base_indexes').selectAll().orderBy('year', 'desc').execute();
}

export async function findBaseIndex(db: Database, year: number): Promise<BaseIndex | null> {
  return (await db.selectFrom('base_indexes').selectAll().where('year', '=', year).executeTakeFirst()) ?? null;
}

/**
 * The tariff of a service for a price that stays from now on: of a submitted application, of a fee. Its base index can no longer be changed
 * afterwards (decisions.md §9): the first that takes it marks it under its lock, so that a change of the amount comes before it and is
 * seen, or after it and is refused. For all others the mark is there and nothing is locked.
 */
export async function takeTariff({ db, now }: Pick<CommandContext, 'db' | 'now'>, serviceId: number): Promise<Tariff> {
  const { year, isIndexInUse, ...tariff } = await findTariff(db, serviceId, now);
  if (isIndexInUse) return tariff;
  const { amountMinor } = await db
    .updateTable('base_indexes')
    .set({ inUse: true })
    .where('year', '=', year)
    .returning('amountMinor')
    .executeTakeFirstOrThrow();
  return { ...tariff, mrpMinor: amountMinor };
}
