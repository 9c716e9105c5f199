import { fieldProblem, validationFailed } from '../errors.ts';
import type { FieldProblem } from '../errors.ts';
import { currentBaseIndex, insuranceCoverage, quotePrice } from '../catalog/index.ts';
import type { CatalogService, InsuranceTerritory, PriceLine } from '../catalog/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { executePrepared, sendPrepared } from '../platform/database/prepared.ts';
import type { EntityManager } from '@mikro-orm/postgresql';

/** What an application costs, as it is stored. */
export interface StoredPrice {
  amountMinor: number;
  insuranceCoverageMinor: number | null;
  breakdown: PriceLine[];
}

/** @throws {DomainError} validation_failed, for a territory that is not sold */
export async function priceOf(em: EntityManager, now: Date, service: CatalogService, territory: InsuranceTerritory): Promise<StoredPrice> {
  const { amountMinor: mrpMinor } = await currentBaseIndex(em, now);
  const { amountMinor, breakdown } = quotePrice({ mrpMinor, mrp: service.mrp, cisMrp: service.cisMrp, territory });
  return { amountMinor, insuranceCoverageMinor: insuranceCoverage(service.insuranceCoverageMrp, mrpMinor), breakdown };
}

/**
 * A service that lists disciplines takes exactly one of them; another takes none (decisions.md §4).
 * @throws {DomainError} validation_failed
 */
export function checkDiscipline(service: CatalogService, disciplineId: number | null): void {
  const path = 'body.data.discipline_id';
  if (service.disciplines.length === 0) {
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
  const rows = await executePrepared<{ id: number }>(
    ctx.em,
    'select id from documents where profile_id = $1 and id = any ($2::int[]) order by id for share',
    [profileId, documentIds],
  );
  const known = new Set(rows.map((row) => row.id));
  const problems = documentIds.flatMap((id, index): FieldProblem[] =>
    known.has(id) ? [] : [{ path: `body.document_ids.${index}`, code: 'not_found', message: 'is no document of this profile' }],
  );
  if (problems.length > 0) throw validationFailed(problems);
}

/** Attaches documents, those aside that are attached already. */
export function attachDocuments(ctx: CommandContext, applicationId: number, documentIds: readonly number[]): void {
  if (documentIds.length === 0) return;
  sendPrepared(
    ctx.em,
    'insert into application_documents (application_id, document_id) select $1::int, id from unnest($2::int[]) as id on conflict do nothing',
    [applicationId, documentIds],
  );
}

/** Makes exactly these documents the attached ones. */
export function exchangeDocuments(ctx: CommandContext, applicationId: number, documentIds: readonly number[]): void {
  sendPrepared(ctx.em, 'delete from application_documents where application_id = $1 and document_id <> all ($2::int[])', [
    applicationId,
    documentIds,
  ]);
  attachDocuments(ctx, applicationId, documentIds);
}
