import { sql } from 'kysely';
import { fieldProblem, type FieldProblem, validationFailed } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import {
  type CatalogService,
  currentBaseIndex,
  findService,
  findTariff,
  insuranceCoverage,
  type InsuranceTerritory,
  type PriceLine,
  quotePrice,
  takeTariff,
  type Tariff,
} from '../catalog/index.ts';
import type { Application } from './entities.ts';

/** What an application costs, as it is stored. */
export interface StoredPrice {
  amountMinor: number;
  insuranceCoverageMinor: number | null;
  breakdown: PriceLine[];
}

/** @throws {DomainError} validation_failed, when there is none or it is not sold */
export async function findServiceOnSale(db: Database, id: number): Promise<CatalogService> {
  const service = await findService(db, id);
  if (!service?.isActive) throw fieldProblem('body.service_id', 'not_found', 'there is no such service on sale');
  return service;
}

/** @throws {DomainError} validation_failed, for a territory that is not sold */
export async function priceOf(db: Database, now: Date, service: CatalogService, territory: InsuranceTerritory): Promise<StoredPrice> {
  const { amountMinor: mrpMinor } = await currentBaseIndex(db, now);
  return priceBy({ ...service, mrpMinor }, territory);
}

/**
 * The price of a draft as the catalog has it now; it follows with each change until the draft is submitted (decisions.md §9).
 * @throws {DomainError} validation_failed, for a territory that is not sold any more
 */
export async function draftPrice({ db, now }: CommandContext, { serviceId, data }: Readonly<Application>): Promise<StoredPrice> {
  return priceBy(await findTariff(db, serviceId, now), data.insurance_territory);
}

/** The same for a price that is asked for from now on: no change of the catalog moves it afterwards, and its base index stays. */
export async function issuedPrice(ctx: CommandContext, { serviceId, data }: Pick<Application, 'serviceId' | 'data'>): Promise<StoredPrice> {
  return priceBy(await takeTariff(ctx, serviceId), data.insurance_territory);
}

function priceBy({ mrpMinor, mrp, cisMrp, insuranceCoverageMrp }: Tariff, territory: InsuranceTerritory): StoredPrice {
  const { amountMinor, breakdown } = quotePrice({ mrpMinor, mrp, cisMrp, territory });
  return { amountMinor, insuranceCoverageMinor: insuranceCoverage(insuranceCoverageMrp, mrpMinor), breakdown };
}

/** @throws {DomainError} validation_failed, for CIS where the service does not sell it */
export function checkTerritory({ cisMrp }: CatalogService, territory: InsuranceTerritory): void {
  quotePrice({ mrpMinor: 0, mrp: '0', cisMrp, territory });
}

/**
 * A service that lists disciplines takes exactly one of them; another takes none (decisions.md §4).
 * @throws {DomainError} validation_failed
 */
export function checkDiscipline(service: CatalogService, disciplineId: number | null): void {
  const path = 'body.data.discipline_id';
  if (!service.takesDiscipline) {
    if (disciplineId !== null) throw fieldProblem(path, 'not_allowed', 'this service has no disciplines');
    return;
  }
  if (disciplineId === null) throw fieldProblem(path, 'required', 'is required: this service is taken for one discipline');
  if (!service.disciplines.some((discipline) => discipline.id === disciplineId))
    throw fieldProblem(path, 'not_found', 'this service is not offered for that discipline');
}

/**
 * Takes documents for an application, locked against change until the transaction ends: what was decided about them holds.
 * @throws {DomainError} validation_failed, naming each id that is no document of the profile
 */
export async function takeDocuments(ctx: CommandContext, profileId: number, documentIds: readonly number[]): Promise<void> {
  if (documentIds.length === 0) return;
  const rows = await ctx.db
    .selectFrom('documents')
    .select('id')
    .where('profileId', '=', profileId)
    .where('id', '=', inList(documentIds))
    .orderBy('id')
    .forShare()
    .execute();
  const known = new Set(rows.map((row) => row.id));
  const problems = documentIds.flatMap((id, index): FieldProblem[] =>
    known.has(id) ? [] : [{ path: `body.document_ids.${index}`, code: 'not_found', message: 'is no document of this profile' }],
  );
  if (problems.length > 0) throw validationFailed(problems);
}

/** Attaches documents, those aside that are attached already. */
export async function attachDocuments(ctx: CommandContext, applicationId: number, documentIds: readonly number[]): Promise<void> {
  if (documentIds.length === 0) return;
  await ctx.db
    .insertInto('application_documents')
    .values(documentIds.map((documentId) => ({ applicationId, documentId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Makes exactly these documents the attached ones. */
export async function exchangeDocuments(ctx: CommandContext, applicationId: number, documentIds: readonly number[]): Promise<void> {
  await ctx.db
    .deleteFrom('application_documents')
    .where('applicationId', '=', applicationId)
    .where('documentId', '<>', sql<number>`all(${[...documentIds]})`)
    .execute();
  await attachDocuments(ctx, applicationId, documentIds);
}
