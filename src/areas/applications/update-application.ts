import { checkAll, DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/process-ref.ts';
import { findService } from '../catalog/index.ts';
import { checkDiscipline, checkTerritory, draftPrice, exchangeDocuments, issuedPrice, takeDocuments } from './application-content.ts';
import type { Application, ApplicationData } from './entities.ts';
import { lockApplication, type LockedApplication, markChanged, requireYearOpen, withFacts } from './lock-application.ts';
import { requireOwner } from './policy.ts';
import { missingForSubmission, needsCorrection } from './readiness.ts';
import { recordStep } from './record-step.ts';
import { type ApplicationRecord, factsOf } from './record.ts';
import { allowedActions, nextStatus, requireTransition, transition } from './states.ts';

/** What a PATCH gives; a field left out stays, null clears `team` or `sport`. */
export interface ApplicationChange {
  documentIds?: number[] | undefined;
  data?: DataChange | undefined;
  /** The revision the client has read; refused when it is another by now. */
  revision?: number | undefined;
}

export interface DataChange {
  team?: string | null | undefined;
  sport?: string | null | undefined;
  insurance_territory?: 'KZ' | 'CIS' | undefined;
  discipline_id?: number | undefined;
}

/**
 * Changes an application that is in its owner's hands, or replaces documents that no longer stand in one that is not
 * (service.md "Application", decisions.md §4). A draft is priced anew; what was returned unpaid is when its territory is another. A certificate
 * whose documents were replaced is not in force until the application is submitted again.
 * @returns the application as it then stands
 * @throws {DomainError} not_found, stale_revision, invalid_state, validation_failed, incomplete_application
 */
export async function updateApplication(ctx: CommandContext, id: number, change: ApplicationChange): Promise<ApplicationRecord> {
  const locked = await lockApplication(ctx, id);
  const { application } = locked;
  requireOwner(ctx.actor, application);
  if (change.revision !== undefined && change.revision !== application.revision)
    throw new DomainError('stale_revision', { revision: application.revision });
  requireYearOpen(ctx, application);
  const isInHand = nextStatus(application, 'update') !== null;
  if (!isInHand) checkCorrection(ctx, locked, change);
  const { data, documentIds } = change;
  const {
    amountMinor: oldAmount,
    data: { insurance_territory: oldTerritory },
  } = application;
  await checkAll(
    () => (data === undefined ? null : changeData(ctx, locked, data)),
    () => (documentIds === undefined ? null : takeDocuments(ctx, application.profileId, documentIds)),
  );
  if (documentIds !== undefined) await exchangeDocuments(ctx, id, documentIds);
  if (isInHand) await followCatalog(ctx, application, oldTerritory);
  transition(application, isInHand ? 'update' : 'correct');
  markChanged(ctx, application);
  // Should the message to its process be lost, the sweeper finds it.
  application.dueAt = ctx.now;
  const isReplacement = application.status === 'approved' && replacesDocuments(locked, change);
  if (isReplacement) application.resubmissionDueSince ??= ctx.now;
  await ctx.em.flush();
  // Its discipline and its documents may be others now.
  const changed = await withFacts(ctx, application);
  if (application.status === 'approved') requireComplete(ctx, changed);
  await recordStep(ctx, changed, 'updated', {
    fields: [...(documentIds === undefined ? [] : ['document_ids']), ...Object.keys(data ?? {}).map((field) => `data.${field}`)],
    ...(documentIds === undefined ? {} : { document_ids: documentIds }),
    ...(isReplacement ? { resubmission_due: true } : {}),
    ...(application.amountMinor === oldAmount ? {} : { amount_minor: application.amountMinor }),
  });
  ctx.wake(processRef('application', id));
  return changed;
}

/** Out of the owner's hands only documents can be replaced, and only while something behind the application does not stand. */
function checkCorrection(ctx: CommandContext, record: ApplicationRecord, change: ApplicationChange): void {
  const { application } = record;
  requireTransition(application, 'correct');
  if (change.data === undefined && needsCorrection(factsOf(record, ctx.now))) return;
  const message = 'Only documents can be replaced now, and only while one behind the application does not stand.';
  throw new DomainError('invalid_state', { status: application.status, allowed: allowedActions(application) }, message);
}

/** The same set in another order replaces nothing. */
function replacesDocuments({ documents }: ApplicationRecord, { documentIds }: ApplicationChange): boolean {
  if (documentIds === undefined) return false;
  const wanted = new Set(documentIds);
  return wanted.size !== documents.length || documents.some(({ id }) => !wanted.has(id));
}

/** An issued certificate never stands on less than its service asks. */
function requireComplete(ctx: CommandContext, record: ApplicationRecord): void {
  const missing = missingForSubmission(factsOf(record, ctx.now)).filter((rule) => rule !== 'profile' && rule !== 'photo');
  if (missing.length > 0) throw new DomainError('incomplete_application', { missing });
}

/** What was paid for or is printed on a certificate stays; a service may be free, so each is asked. */
async function changeData(ctx: CommandContext, { application, certificate }: LockedApplication, change: DataChange): Promise<void> {
  const data = merge(application.data, change);
  const disciplineId = data.discipline_id ?? null;
  const isRepriced = data.insurance_territory !== application.data.insurance_territory || disciplineId !== application.disciplineId;
  const { paid } = application;
  const isFixed = paid || certificate !== null;
  if (isFixed && isRepriced) {
    const details = { paid, ...(certificate === null ? {} : { number: certificate.number }) };
    const why = certificate === null ? 'The application is paid' : 'Its certificate was issued';
    throw new DomainError('invalid_state', details, `${why}: the territory and the discipline stay as they are.`);
  }
  if (!isFixed) await checkNewData(ctx, application, change);
  application.data = data;
  application.disciplineId = disciplineId;
  // A discipline that another application has already is refused by the unique index here and not at the end of the command.
  await ctx.em.flush();
}

/** What was submitted once keeps its price, unless what the price is of becomes another before it is paid. */
async function followCatalog(ctx: CommandContext, application: Locked<Application>, oldTerritory: 'KZ' | 'CIS'): Promise<void> {
  if (application.status === 'draft') Object.assign(application, await draftPrice(ctx, application));
  else if (!application.paid && application.data.insurance_territory !== oldTerritory)
    Object.assign(application, await issuedPrice(ctx, application));
}

/**
 * Holds what an application is to be changed to against its service.
 * @throws {DomainError} validation_failed, for a discipline or a territory that the service does not have
 */
export async function checkNewData(ctx: CommandContext, application: Readonly<Application>, change: DataChange): Promise<void> {
  const data = merge(application.data, change);
  const disciplineId = data.discipline_id ?? null;
  const service = await findService(ctx.db, application.serviceId);
  if (!service) throw new Error(`application ${application.id} is for a service that does not exist`);
  await checkAll(
    () => (disciplineId === application.disciplineId ? null : checkDiscipline(service, disciplineId)),
    () => checkTerritory(service, data.insurance_territory),
  );
}

function merge(data: ApplicationData, { team, sport, insurance_territory, discipline_id }: DataChange): ApplicationData {
  const chosen = (next: string | null | undefined, before: string | undefined) => (next === undefined ? before : (next ?? undefined));
  const merged = { team: chosen(team, data.team), sport: chosen(sport, data.sport), discipline_id: discipline_id ?? data.discipline_id };
  const given = Object.entries(merged).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), insurance_territory: insurance_territory ?? data.insurance_territory };
}
