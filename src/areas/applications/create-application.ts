import { checkAll, type FieldProblem, validationFailed } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { holdUnchanged } from '../../platform/database/lock.ts';
import { endOfYear } from '../../platform/time/date-time.ts';
import { startProcess } from '../../platform/workflows/start-process.ts';
import type { CatalogService } from '../catalog/index.ts';
import { findProfile, type Profile, ProfileEntity, requireProfileOwner } from '../profiles/index.ts';
import { closeEnded } from './close-ended.ts';
import {
  attachDocuments,
  checkDiscipline,
  checkTerritory,
  findServiceOnSale,
  insertApplication,
  priceOf,
  recordStep,
  type StoredPrice,
  takeDocuments,
} from './command-parts.ts';
import type { ApplicationData } from './entities.ts';
import { applicationProcess } from './process.ts';
import { withFacts } from './queries.ts';
import type { ApplicationRecord } from './record.ts';
import { chooseYear, requireBaseIndex } from './year.ts';

export interface NewApplication {
  profileId: number;
  serviceId: number;
  /** The current year by default. */
  year?: number | undefined;
  documentIds: number[];
  data: ApplicationData;
}

/**
 * Creates a draft with the present price (CAT-3).
 *
 * The constraint `applications_active_unique` refuses a second active application (APP-1).
 * @throws {DomainError} not_found for another account's profile; validation_failed
 */
export async function createApplication(ctx: CommandContext, input: NewApplication): Promise<ApplicationRecord> {
  const { profileId, serviceId, documentIds, data } = input;
  const profile = requireProfileOwner(ctx.actor, await findProfile(ctx.db, profileId));
  await closeEnded(ctx, { profileId, serviceId, disciplineId: data.discipline_id ?? null });
  const [{ service, year, price }] = await checkAll(
    () => chooseService(ctx, profile, input),
    () => takeDocuments(ctx, profileId, documentIds),
  );
  // Locks the profile after the documents: a transfer to another account then includes the new application.
  requireProfileOwner(ctx.actor, await holdUnchanged(ctx.em, ProfileEntity, { id: profileId }));
  const fields = {
    ownerId: profile.ownerId,
    profileId,
    serviceId,
    kind: service.kind,
    year,
    data,
    status: 'draft',
    submittedAt: null,
  } as const;
  const draft = await insertApplication(ctx, { ...fields, dueAt: endOfYear(year) }, price);
  await attachDocuments(ctx, draft.id, documentIds);
  const record = await withFacts(ctx, draft);
  await recordStep(ctx, record, 'created', { service_id: serviceId, amount_minor: price.amountMinor, document_ids: documentIds });
  await startProcess(ctx, applicationProcess, record);
  return record;
}

async function chooseService(
  ctx: CommandContext,
  profile: Readonly<Profile>,
  { serviceId, data, year: asked }: NewApplication,
): Promise<{ service: CatalogService; year: number; price: StoredPrice }> {
  const service = await findServiceOnSale(ctx.db, serviceId);
  const [, , year] = await checkAll(
    () => checkServiceFits(service, profile),
    () => checkDiscipline(service, data.discipline_id ?? null),
    () => chooseYear(ctx.now, service.kind, asked),
    () => checkTerritory(service, data.insurance_territory),
  );
  await requireBaseIndex(ctx.db, ctx.now, year);
  return { service, year, price: await priceOf(ctx.db, year, service, data.insurance_territory) };
}

/** @throws {DomainError} validation_failed when the service is for another kind of profile, or is an event fee (APP-17) */
function checkServiceFits(service: CatalogService, profile: Readonly<Profile>): void {
  const problems: FieldProblem[] = [];
  if (service.kind === 'event_fee')
    problems.push({
      path: 'body.service_id',
      code: 'not_allowed',
      message: 'is a competition fee: its event creates the application',
    });
  if (service.profileKind !== profile.kind)
    problems.push({ path: 'body.profile_id', code: 'wrong_kind', message: `this service is for a profile of kind ${service.profileKind}` });
  if (problems.length > 0) throw validationFailed(problems);
}
