import { sql } from 'kysely';
import { fieldProblem, type FieldProblem, validationFailed } from '../../errors.ts';
import { accountableUserId, actingUserId, type Actor, type CommandContext, impersonatedUserId } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { type Locked, lockedAsNew } from '../../platform/database/lock.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { ProcessRef } from '../../platform/workflows/process-ref.ts';
import { audit } from '../audit/index.ts';
import {
  type CatalogService,
  baseIndexOf,
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
import { isSettled } from './readiness/readiness.ts';
import type { ApplicationRecord } from './record.ts';
import type { ApplicationStep, StepActor } from './states.ts';

/** The stored price of an application; amounts in tiyn. */
export interface StoredPrice {
  amountMinor: number;
  insuranceCoverageMinor: number | null;
  breakdown: PriceLine[];
}

type NewApplicationFields = Pick<
  Application,
  'ownerId' | 'profileId' | 'serviceId' | 'kind' | 'year' | 'data' | 'status' | 'submittedAt' | 'dueAt'
>;

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
export async function priceOf(db: Database, year: number, service: CatalogService, territory: InsuranceTerritory): Promise<StoredPrice> {
  const { amountMinor: mrpMinor } = await baseIndexOf(db, year);
  return priceBy({ ...service, mrpMinor }, territory);
}

/**
 * Prices a draft by the present catalog. The price may change until the draft is submitted (CAT-5).
 * @throws {DomainError} validation_failed for a territory that the service no longer sells
 */
export async function draftPrice({ db }: CommandContext, { serviceId, year, data }: Readonly<Application>): Promise<StoredPrice> {
  return priceBy(await findTariff(db, serviceId, year), data.insurance_territory);
}

/** Prices an application finally: catalog changes no longer affect the price (CAT-3), and its base index is fixed (CAT-4). */
export async function issuedPrice(
  ctx: CommandContext,
  application: Pick<Application, 'serviceId' | 'year' | 'data'>,
): Promise<StoredPrice> {
  const { serviceId, year, data } = application;
  return priceBy(await takeTariff(ctx, serviceId, year), data.insurance_territory);
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

/** Records of upper areas that depend on applications: an event on its fee, a registration on a certificate. */
export interface ApplicationDependents {
  /** Lists processes to wake when an application becomes valid or invalid, or a fee is settled. */
  listLiving(db: Database, applicationId: number): Promise<ProcessRef[]>;
}

export const applicationDependents = definePoint<ApplicationDependents>('dependents of an application');

/**
 * Wakes the processes that depend on an application after its step. An application without an earlier certificate has no dependents,
 * except a fee.
 */
export async function wakeDependents(ctx: CommandContext, { application, certificate }: ApplicationRecord): Promise<void> {
  const isIssuedNow = certificate !== null && certificate.issuedAt.getTime() === ctx.now.getTime();
  const wasIssuedBefore = certificate !== null && !isIssuedNow;
  if (application.kind !== 'event_fee' && !wasIssuedBefore) return;
  for (const { listLiving } of ctx.extensions.of(applicationDependents))
    for (const ref of await listLiving(ctx.db, application.id)) ctx.wake(ref);
}

/** Increments the revision, which makes an older review decision stale (APP-6). */
export function markChanged(ctx: CommandContext, application: Locked<Application>): void {
  application.revision += 1;
  application.updatedAt = ctx.now;
}

/**
 * Records a step in the history and in the audit in the step's transaction, and wakes dependents (APP-18).
 *
 * Set all fields of the application first: the history row copies them.
 * @param data for the audit; the history also stores `amount_minor`
 */
export async function recordStep(
  ctx: CommandContext,
  record: ApplicationRecord,
  step: Exclude<ApplicationStep, 'carried_over'>,
  data: Record<string, unknown> & { amount_minor?: number } = {},
): Promise<void> {
  const { application, documents } = record;
  const { id, ownerId, revision, status, paid, amountMinor, resubmissionDueSince } = application;
  await ctx.db
    .insertInto('application_history')
    .values({
      applicationId: id,
      at: ctx.now,
      step,
      actor: partOf(ctx.actor, ownerId, step, data['by']),
      actorId: accountableUserId(ctx.actor),
      impersonatedUserId: impersonatedUserId(ctx.actor),
      requestId: ctx.requestId,
      revision,
      status,
      isSettled: isSettled({ isPaid: paid, amountMinor }),
      isResubmissionDue: resubmissionDueSince !== null,
      documentIds: documents.map((document) => document.id),
      amountMinor: data.amount_minor ?? null,
    })
    .execute();
  await audit(ctx, `application.${step}`, { kind: 'application', id }, data);
  // A reminder changes nothing for dependents.
  if (step !== 'reminded') await wakeDependents(ctx, record);
}

/** Steps of one side alone; the registry's approvals act as the registry. */
const parts: Partial<Record<ApplicationStep, StepActor>> = {
  created: 'owner',
  updated: 'owner',
  submitted: 'owner',
  paid: 'owner',
  approved: 'administrator',
  returned: 'administrator',
};

/** The part that takes a step, whatever else its account is. @param by of a step that both sides take */
function partOf(actor: Actor, ownerId: number, step: ApplicationStep, by: unknown): StepActor {
  const userId = actingUserId(actor);
  if (userId === null) return 'registry';
  if (by === 'owner' || by === 'administrator') return by;
  return parts[step] ?? (userId === ownerId ? 'owner' : 'administrator');
}
