import { checkAll, fieldProblem, validationFailed } from '../errors.ts';
import type { FieldProblem } from '../errors.ts';
import { audit } from '../administration/audit.ts';
import { findService } from '../catalog/index.ts';
import type { CatalogService } from '../catalog/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { yearOf } from '../platform/date-time.ts';
import { processRef } from '../platform/process-ref.ts';
import type { Profile } from '../profiles/entities.ts';
import { findProfile } from '../profiles/index.ts';
import { attachDocuments, checkDiscipline, priceOf, takeDocuments } from './application-content.ts';
import type { StoredPrice } from './application-content.ts';
import { ApplicationEntity } from './entities.ts';
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
  const application = ctx.em.create(ApplicationEntity, {
    ownerId: profile.ownerId,
    profileId,
    serviceId,
    disciplineId,
    kind: service.kind,
    year: yearOf(ctx.now),
    data,
    status: 'draft',
    ...price,
    paid: false,
    paidAt: null,
    paymentTransactionId: null,
    refundTransactionId: null,
    reviewNote: null,
    sharingEnabled: false,
    sharingConfirmedAt: null,
    revision: 1,
    submittedAt: null,
    resubmissionDueSince: null,
    approvedAt: null,
    cancelledAt: null,
    closedAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  await ctx.em.flush();
  await attachDocuments(ctx, application.id, documentIds);
  audit(
    ctx,
    'application.created',
    { kind: 'application', id: application.id },
    { service_id: serviceId, amount_minor: price.amountMinor, document_ids: documentIds },
  );
  ctx.touch(processRef('application', application.id));
  return application.id;
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
