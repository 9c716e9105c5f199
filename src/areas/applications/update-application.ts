import { checkAll, DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/process-ref.ts';
import { findService } from '../catalog/index.ts';
import {
  checkDiscipline,
  checkTerritory,
  draftPrice,
  exchangeDocuments,
  issuedPrice,
  markChanged,
  recordStep,
  takeDocuments,
} from './command-parts.ts';
import type { Application, ApplicationData } from './entities.ts';
import { requireOwner, requireYearOpen } from './policy.ts';
import { lockApplication, withFacts } from './queries.ts';
import { missingForSubmission, needsCorrection, factsOf } from './readiness.ts';
import type { ApplicationRecord, LockedApplication } from './record.ts';
import { allowedActions, nextStatus, requireTransition, transition } from './states.ts';

/** The fields of a PATCH. An omitted field keeps its value; null clears `team` or `sport`. */
interface ApplicationChange {
  documentIds?: number[] | undefined;
  data?: DataChange | undefined;
  /** The revision that the client read; a stale one is refused. */
  revision?: number | undefined;
}

interface DataChange {
  team?: string | null | undefined;
  sport?: string | null | undefined;
  insurance_territory?: 'KZ' | 'CIS' | undefined;
  discipline_id?: number | undefined;
}

/**
 * Changes a draft or a returned application, or replaces documents of a submitted or approved one (APP-10).
 *
 * Prices a draft again, and an unpaid returned application when its territory changes (CAT-5). A certificate with replaced documents is
 * not valid until the application is submitted again (VER-5).
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
  // The process of a draft waits for the end of the year, whatever the draft says: thousands of changes must not keep it busy.
  const isAwaited = application.status !== 'draft';
  // If the wake-up of the process is lost, the sweeper finds the row.
  if (isAwaited) application.dueAt = ctx.now;
  const isReplacement = application.status === 'approved' && replacesDocuments(locked, change);
  if (isReplacement) application.resubmissionDueSince ??= ctx.now;
  await ctx.em.flush();
  // Reads again: discipline and documents may have changed.
  const changed = await withFacts(ctx, application);
  if (application.status === 'approved') requireComplete(ctx, changed);
  await recordStep(ctx, changed, 'updated', {
    fields: [...(documentIds === undefined ? [] : ['document_ids']), ...Object.keys(data ?? {}).map((field) => `data.${field}`)],
    ...(documentIds === undefined ? {} : { document_ids: documentIds }),
    ...(isReplacement ? { resubmission_due: true } : {}),
    ...(application.amountMinor === oldAmount ? {} : { amount_minor: application.amountMinor }),
  });
  if (isAwaited) ctx.wake(processRef('application', id));
  return changed;
}

/** Refuses a correction unless it only replaces documents and something behind the application is not approved (APP-10). */
function checkCorrection(ctx: CommandContext, record: ApplicationRecord, change: ApplicationChange): void {
  const { application } = record;
  requireTransition(application, 'correct');
  if (change.data === undefined && needsCorrection(factsOf(record, ctx.now))) return;
  const message = 'Only documents can be replaced now, and only while a record behind the application needs a correction.';
  throw new DomainError('invalid_state', { status: application.status, allowed: allowedActions(application) }, message);
}

/** Whether the set of documents changes, regardless of their order. */
function replacesDocuments({ documents }: ApplicationRecord, { documentIds }: ApplicationChange): boolean {
  if (documentIds === undefined) return false;
  const wanted = new Set(documentIds);
  return wanted.size !== documents.length || documents.some(({ id }) => !wanted.has(id));
}

/** Refuses an incomplete set of documents behind an issued certificate (APP-10). */
function requireComplete(ctx: CommandContext, record: ApplicationRecord): void {
  const missing = missingForSubmission(factsOf(record, ctx.now)).filter((rule) => rule !== 'profile' && rule !== 'photo');
  if (missing.length > 0) throw new DomainError('incomplete_application', { missing });
}

/** Changes the data. Territory and discipline are fixed once paid or issued; a free service is never paid, so both are checked (APP-9). */
async function changeData(ctx: CommandContext, { application, certificate }: LockedApplication, change: DataChange): Promise<void> {
  const data = merge(application.data, change);
  const disciplineId = data.discipline_id ?? null;
  const isRepriced = data.insurance_territory !== application.data.insurance_territory || disciplineId !== application.disciplineId;
  const { paid } = application;
  const isFixed = paid || certificate !== null;
  if (isFixed && isRepriced) {
    const details = { paid, ...(certificate === null ? {} : { number: certificate.number }) };
    const why = certificate === null ? 'The application is paid' : 'Its certificate was issued';
    throw new DomainError('invalid_state', details, `${why}: the territory and the discipline cannot be changed.`);
  }
  if (!isFixed) await checkNewData(ctx, application, change);
  application.data = data;
  application.disciplineId = disciplineId;
  // Flush here, so that the unique index refuses a duplicate before the command goes on (APP-1).
  await ctx.em.flush();
}

/** Prices a draft again; a returned application keeps its price unless its territory changes before payment (CAT-5). */
async function followCatalog(ctx: CommandContext, application: Locked<Application>, oldTerritory: 'KZ' | 'CIS'): Promise<void> {
  if (application.status === 'draft') Object.assign(application, await draftPrice(ctx, application));
  else if (!application.paid && application.data.insurance_territory !== oldTerritory)
    Object.assign(application, await issuedPrice(ctx, application));
}

/**
 * Checks the changed data against the service.
 * @throws {DomainError} validation_failed for a discipline or territory that the service does not have
 */
async function checkNewData(ctx: CommandContext, application: Readonly<Application>, change: DataChange): Promise<void> {
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
