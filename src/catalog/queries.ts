import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Database } from '../platform/database/database.ts';
import { yearOf } from '../platform/date-time.ts';
import type { LocalizedText, ServiceKind } from './entities.ts';
import type { ProfileKind } from './kinds.ts';
import type { RequiredDocument } from './required-documents.ts';

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
  /** Those open to applicants; a service without any takes no discipline. */
  disciplines: CatalogDiscipline[];
}

/** The base calculation index of a year, tiyn. */
export interface BaseIndexOfYear {
  year: number;
  amountMinor: number;
}

function selectServices(db: Database) {
  return db
    .selectFrom('services as s')
    .select((eb) => [
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
