import { sql } from 'kysely';
import { fieldProblem, type FieldProblem, validationFailed } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { type Locked, lockedAsNew } from '../../platform/database/lock.ts';
import { yearOf } from '../../platform/date-time.ts';
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
import { type Application, ApplicationEntity } from './entities.ts';

/** The stored price of an application; amounts in tiyn. */
export interface StoredPrice {
  amountMinor: number;
  insuranceCoverageMinor: number | null;
  breakdown: PriceLine[];
}

type NewApplicationFields = Pick<Application, 'ownerId' | 'profileId' | 'serviceId' | 'kind' | 'data' | 'status' | 'submittedAt' | 'dueAt'>;

/** Creates the row of an application. Other transactions do not see it before the commit, so it counts as locked. */
export async function insertApplication(
  ctx: CommandContext,
  fields: NewApplicationFields,
  price: StoredPrice,
): Promise<Locked<Application>> {
  const row = ctx.em.create(ApplicationEntity, {
    ...fields,
    ...price,
    disciplineId: fields.data.discipline_id ?? null,
    year: yearOf(ctx.now),
    paid: false,
    paidAt: null,
    paymentTransactionId: null,
    refundTransactionId: null,
    reviewNote: null,
    sharingEnabled: false,
    sharingConfirmedAt: null,
    revision: 1,
    resubmissionDueSince: null,
    approvedAt: null,
    cancelledAt: null,
    closedAt: null,
    remindAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  await ctx.em.flush();
  return lockedAsNew<Application>(row);
}

/** @throws {DomainError} validation_failed when the service does not exist or is not on sale (CAT-7) */
export async function findServiceOnSale(db: Database, id: number): Promise<CatalogService> {
  const service = await findService(db, id);
  if (!service?.isActive) throw fieldProblem('body.service_id', 'not_found', 'is not a service on sale');
  return service;
}

/** @throws {DomainError} validation_failed for a territory that the service does not sell */
export async function priceOf(db: Database, now: Date, service: CatalogService, territory: InsuranceTerritory): Promise<StoredPrice> {
  const { amountMinor: mrpMinor } = await currentBaseIndex(db, now);
  return priceBy({ ...service, mrpMinor }, territory);
}

/**
 * Prices a draft by the present catalog. The price may change until the draft is submitted (CAT-5).
 * @throws {DomainError} validation_failed for a territory that the service no longer sells
 */
export async function draftPrice({ db, now }: CommandContext, { serviceId, data }: Readonly<Application>): Promise<StoredPrice> {
  return priceBy(await findTariff(db, serviceId, now), data.insurance_territory);
}

/** Prices an application finally: catalog changes no longer affect the price (CAT-3), and its base index is fixed (CAT-4). */
export async function issuedPrice(ctx: CommandContext, { serviceId, data }: Pick<Application, 'serviceId' | 'data'>): Promise<StoredPrice> {
  return priceBy(await takeTariff(ctx, serviceId), data.insurance_territory);
}

function priceBy({ mrpMinor, mrp, cisMrp, insuranceCoverageMrp }: Tariff, territory: InsuranceTerritory): StoredPrice {
  const { amountMinor, breakdown } = quotePrice({ mrpMinor, mrp, cisMrp, territory });
  return { amountMinor, insuranceCoverageMinor: insuranceCoverage(insuranceCoverageMrp, mrpMinor), breakdown };
}

/** @throws {DomainError} validation_failed for CIS when the service does not sell it (CAT-2) */
export function checkTerritory({ cisMrp }: CatalogService, territory: InsuranceTerritory): void {
  quotePrice({ mrpMinor: 0, mrp: '0', cisMrp, territory });
}

/**
 * Checks the discipline against the service: one of the listed disciplines, or none when the service lists none (CAT-8).
 * @throws {DomainError} validation_failed
 */
export function checkDiscipline(service: CatalogService, disciplineId: number | null): void {
  const path = 'body.data.discipline_id';
  if (service.disciplineIds.length === 0) {
    if (disciplineId !== null) throw fieldProblem(path, 'not_allowed', 'this service has no disciplines');
    return;
  }
  if (disciplineId === null) throw fieldProblem(path, 'required', 'is required for this service');
  if (!service.disciplines.some((discipline) => discipline.id === disciplineId))
    throw fieldProblem(path, 'not_found', 'this service is not offered for that discipline');
}

/**
 * Locks documents for an application in share mode, so that they do not change before the transaction ends.
 * @throws {DomainError} validation_failed, naming each id that is not a document of the profile
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
    known.has(id) ? [] : [{ path: `body.document_ids.${index}`, code: 'not_found', message: 'is not a document of this profile' }],
  );
  if (problems.length > 0) throw validationFailed(problems);
}

/** Attaches documents; skips those that are already attached. */
export async function attachDocuments(ctx: CommandContext, applicationId: number, documentIds: readonly number[]): Promise<void> {
  if (documentIds.length === 0) return;
  await ctx.db
    .insertInto('application_documents')
    .values(documentIds.map((documentId) => ({ applicationId, documentId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Replaces the set of attached documents. */
export async function exchangeDocuments(ctx: CommandContext, applicationId: number, documentIds: readonly number[]): Promise<void> {
  await ctx.db
    .deleteFrom('application_documents')
    .where('applicationId', '=', applicationId)
    .where('documentId', '<>', sql<number>`all(${[...documentIds]})`)
    .execute();
  await attachDocuments(ctx, applicationId, documentIds);
}
