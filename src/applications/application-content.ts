import { fieldProblem, validationFailed } from '../errors.ts';
import type { FieldProblem } from '../errors.ts';
import { currentBaseIndex, insuranceCoverage, quotePrice } from '../catalog/index.ts';
import type { CatalogService, InsuranceTerritory, PriceLine } from '../catalog/index.ts';
import type { CommandContext } from '../platform/context.ts';
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
  const rows = await ctx.em.execute<{ id: number }[]>(
    'select id from documents where profile_id = ? and id = any (?::int[]) order by id for share',
    [profileId, toArray(documentIds)],
  );
  const known = new Set(rows.map((row) => row.id));
  const problems = documentIds.flatMap((id, index): FieldProblem[] =>
    known.has(id) ? [] : [{ path: `body.document_ids.${index}`, code: 'not_found', message: 'is no document of this profile' }],
  );
  if (problems.length > 0) throw validationFailed(problems);
}

/** Makes exactly these documents the attached ones. */
export async function attachDocuments(ctx: CommandContext, applicationId: number, documentIds: readonly number[]): Promise<void> {
  const ids = toArray(documentIds);
  await ctx.em.execute('delete from application_documents where application_id = ? and document_id <> all (?::int[])', [
    applicationId,
    ids,
  ]);
  await ctx.em.execute(
    'insert into application_documents (application_id, document_id) select ?, id from unnest(?::int[]) as id on conflict do nothing',
    [applicationId, ids],
  );
}

/** PostgreSQL's own notation of an array; a list parameter would be spread into many. */
function toArray(ids: readonly number[]): string {
  return `{${ids.join(',')}}`;
}
