import { checkAll, fieldProblem, validationFailed } from '../errors.ts';
import type { FieldProblem } from '../errors.ts';
import { audit } from '../administration/audit.ts';
import type { ServiceKind } from '../catalog/entities.ts';
import { findService } from '../catalog/index.ts';
import type { CatalogService } from '../catalog/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { executePrepared } from '../platform/database/prepared.ts';
import { yearOf } from '../platform/date-time.ts';
import { processRef } from '../platform/process-ref.ts';
import type { Profile } from '../profiles/entities.ts';
import { findProfile } from '../profiles/index.ts';
import { attachDocuments, checkDiscipline, priceOf, takeDocuments } from './application-content.ts';
import type { StoredPrice } from './application-content.ts';
import type { ApplicationData } from './entities.ts';
import { requireOwner } from './policy.ts';

export interface NewApplication {
  profileId: number;
  serviceId: number;
  documentIds: number[];
  data: ApplicationData;
}

/**
 * Opens a draft with the price of the day (service.md "Application").
 * @returns its id
 * @throws {DomainError} not_found for another's profile; validation_failed. A second active application of the same profile,
 *   service, discipline and year is refused by the database: constraint `applications_active_unique`.
 */
export async function createApplication(ctx: CommandContext, input: NewApplication): Promise<number> {
  const { profileId, serviceId, documentIds, data } = input;
  const profile = requireOwner(ctx.actor, await findProfile(ctx.em, profileId));
  const disciplineId = data.discipline_id ?? null;
  const [{ service, price }] = await checkAll(
    () => chooseService(ctx, profile, serviceId, data),
    () => takeDocuments(ctx, profileId, documentIds),
  );
  const id = await insertDraft(ctx, { ...input, ownerId: profile.ownerId, disciplineId, kind: service.kind, price });
  attachDocuments(ctx, id, documentIds);
  audit(
    ctx,
    'application.created',
    { kind: 'application', id },
    { service_id: serviceId, amount_minor: price.amountMinor, document_ids: documentIds },
  );
  ctx.touch(processRef('application', id));
  return id;
}

interface Draft extends NewApplication {
  ownerId: number;
  disciplineId: number | null;
  kind: ServiceKind;
  price: StoredPrice;
}

async function insertDraft(ctx: CommandContext, draft: Draft): Promise<number> {
  const { amountMinor, insuranceCoverageMinor, breakdown } = draft.price;
  const [row] = await executePrepared<{ id: number }>(
    ctx.em,
    `insert into applications (owner_id, profile_id, service_id, discipline_id, kind, year, data, status, amount_minor,
       insurance_coverage_minor, breakdown, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'draft', $8, $9, $10, $11, $11) returning id`,
    [
      draft.ownerId,
      draft.profileId,
      draft.serviceId,
      draft.disciplineId,
      draft.kind,
      yearOf(ctx.now),
      JSON.stringify(draft.data),
      amountMinor,
      insuranceCoverageMinor,
      JSON.stringify(breakdown),
      ctx.now,
    ],
  );
  if (!row) throw new Error('the application was inserted without an id');
  return row.id;
}

async function chooseService(
  ctx: CommandContext,
  profile: Profile,
  id: number,
  data: ApplicationData,
): Promise<{ service: CatalogService; price: StoredPrice }> {
  const service = await findService(ctx.em, id);
  if (!service?.isActive) throw fieldProblem('body.service_id', 'not_found', 'there is no such service on sale');
  const [, , price] = await checkAll(
    () => checkServiceFits(service, profile),
    () => checkDiscipline(service, data.discipline_id ?? null),
    () => priceOf(ctx.em, ctx.now, service, data.insurance_territory),
  );
  return { service, price };
}

function checkServiceFits(service: CatalogService, profile: Profile): void {
  const problems: FieldProblem[] = [];
  if (service.kind === 'event_fee')
    problems.push({
      path: 'body.service_id',
      code: 'not_allowed',
      message: 'a fee of a competition is made by its event, not by an application',
    });
  if (service.profileKind !== profile.kind)
    problems.push({ path: 'body.profile_id', code: 'wrong_kind', message: `this service is for a profile of kind ${service.profileKind}` });
  if (problems.length > 0) throw validationFailed(problems);
}
