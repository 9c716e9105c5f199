import type { EntityManager } from '@mikro-orm/postgresql';
import { yearOf } from '../platform/date-time.ts';
import type { ProfileKind } from '../profiles/states.ts';
import type { LocalizedText, ServiceKind } from './entities.ts';
import type { RequiredDocument } from './required-documents.ts';
import { executePrepared } from '../platform/database/prepared.ts';

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

interface ServiceRow {
  id: number;
  code: string;
  kind: ServiceKind;
  title: LocalizedText;
  category: string | null;
  profile_kind: ProfileKind;
  mrp: string;
  cis_mrp: string | null;
  required_documents: RequiredDocument[];
  insurance_coverage_mrp: number | null;
  active: boolean;
  disciplines: CatalogDiscipline[];
}

const selectServices = `
  select s.id, s.code, s.kind, s.title, s.category, s.profile_kind, s.mrp::text as mrp, s.cis_mrp::text as cis_mrp, s.required_documents,
    s.insurance_coverage_mrp, s.active, d.disciplines
  from services s
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'code', d.code, 'title', d.title) order by d.id), '[]') as disciplines
    from service_disciplines sd join disciplines d on d.id = sd.discipline_id
    where sd.service_id = s.id and d.active
  ) d`;

const oneService = `${selectServices} where s.id = $1`;

/** Every service on sale, in the order of the catalog. */
export async function listActiveServices(em: EntityManager): Promise<CatalogService[]> {
  return (await em.execute<ServiceRow[]>(`${selectServices} where s.active order by s.id`)).map(toService);
}

/** One service, on sale or not. */
export async function findService(em: EntityManager, id: number): Promise<CatalogService | null> {
  const [row] = await executePrepared<ServiceRow>(em, oneService, [id]);
  return row ? toService(row) : null;
}

/**
 * The base calculation index in force: the newest that is not of a later year (decisions.md §4).
 * @throws {Error} when the table holds none so old: the registry cannot price anything then
 */
export async function currentBaseIndex(em: EntityManager, now: Date): Promise<BaseIndexOfYear> {
  const [row] = await executePrepared<{ year: number; amount_minor: string }>(
    em,
    'select year, amount_minor from base_indexes where year <= $1 order by year desc limit 1',
    [yearOf(now)],
  );
  if (!row) throw new Error(`there is no base calculation index for ${yearOf(now)} or before`);
  return { year: row.year, amountMinor: Number(row.amount_minor) };
}

function toService(row: ServiceRow): CatalogService {
  return {
    id: row.id,
    code: row.code,
    kind: row.kind,
    title: row.title,
    category: row.category,
    profileKind: row.profile_kind,
    mrp: row.mrp,
    cisMrp: row.cis_mrp,
    requiredDocuments: row.required_documents,
    insuranceCoverageMrp: row.insurance_coverage_mrp,
    isActive: row.active,
    disciplines: row.disciplines,
  };
}
