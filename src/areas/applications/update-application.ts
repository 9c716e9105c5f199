import { checkAll, DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { findService } from '../catalog/index.ts';
import { closeEnded } from './close-ended.ts';
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
import { requireOwner, requireOpen } from './policy.ts';
import { findApplicationRow, lockApplication, withFacts } from './queries.ts';
import { countedDocuments, factsOf, missingForSubmission, needsCorrection } from './readiness/readiness.ts';
import type { ApplicationRecord, AttachedDocument, LockedApplication } from './record.ts';
import { isRenewal } from './readiness/renewal.ts';
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
 * not valid until the application is submitted again (VER-5); documents that are renewed ahead leave it in force. Values equal to the
 * stored ones change nothing.
 * @throws {DomainError} not_found, stale_revision, invalid_state, validation_failed, incomplete_application
 */
export async function updateApplication(ctx: CommandContext, id: number, change: ApplicationChange): Promise<ApplicationRecord> {
  await freeDiscipline(ctx, id, change.data?.discipline_id);
  const locked = await lockApplication(ctx, id);
  const { application } = locked;
  requireOwner(ctx.actor, application);
  if (change.revision !== undefined && change.revision !== application.revision)
    throw new DomainError('stale_revision', { revision: application.revision });
  requireOpen(ctx, locked);
  const isInHand = nextStatus(application, 'update') !== null;
  if (!isInHand) requireTransition(application, 'correct');
  const data = changedData(application, change.data);
  const documentIds = replacesDocuments(locked, change) ? change.documentIds : undefined;
  const { amountMinor: oldAmount, status: oldStatus } = application;
  const oldTerritory = application.data.insurance_territory;
  const isChanged = data.length > 0 || documentIds !== undefined;
  if (!isChanged && !(await isPricedAnew(ctx, application))) return locked;
  const isCorrection = isInHand || mayCorrect(ctx, locked, data);
  if (!isCorrection && (application.status !== 'approved' || data.length > 0)) throw correctionRefused(application);
  await checkAll(
    () => (change.data === undefined || data.length === 0 ? null : changeData(ctx, locked, change.data)),
    () => (documentIds === undefined ? null : takeDocuments(ctx, application.profileId, documentIds)),
  );
  if (documentIds !== undefined) await exchangeDocuments(ctx, id, documentIds);
  if (isInHand) await followCatalog(ctx, application, oldTerritory);
  transition(application, isInHand ? 'update' : 'correct');
  markChanged(ctx, application);
  // The process of a draft or a returned application waits for its owner's submission, whatever it says: thousands of changes must not
  // keep it busy.
  const isAwaited = !isInHand;
  // If the wake-up of the process is lost, the sweeper finds the row.
  if (isAwaited) application.dueAt = ctx.now;
  const isReplacement = oldStatus === 'approved' && isCorrection;
  if (isReplacement) application.resubmissionDueSince ??= ctx.now;
  await ctx.em.flush();
  // Reads again: discipline and documents may have changed.
  const changed = await withFacts(ctx, application);
  if (!isCorrection) requireRenewal(ctx, locked, changed);
  if (application.status === 'approved') requireComplete(ctx, locked, changed);
  await recordStep(ctx, changed, 'updated', {
    fields: [...(documentIds === undefined ? [] : ['document_ids']), ...data.map((field) => `data.${field}`)],
    ...(documentIds === undefined ? {} : { document_ids: documentIds }),
    ...(isReplacement ? { resubmission_due: true } : {}),
    ...(application.amountMinor === oldAmount ? {} : { amount_minor: application.amountMinor }),
  });
  if (isAwaited) ctx.wake(processRef('application', id));
  return changed;
}

/** Lets an ended document that is not closed yet free the discipline that the application changes to (APP-13). */
async function freeDiscipline(ctx: CommandContext, id: number, disciplineId: number | undefined): Promise<void> {
  if (disciplineId === undefined) return;
  const seen = await findApplicationRow(ctx.db, id);
  if (seen === null || seen.kind !== 'document' || seen.disciplineId === disciplineId) return;
  requireOwner(ctx.actor, seen);
  await closeEnded(ctx, { ...seen, disciplineId });
}

/** Lists the fields of the data whose values change. */
function changedData({ data }: Readonly<Application>, change: DataChange | undefined): (keyof DataChange)[] {
  if (change === undefined) return [];
  const merged = merge(data, change);
  const fields = ['team', 'sport', 'insurance_territory', 'discipline_id'] as const;
  return fields.filter((field) => merged[field] !== data[field]);
}

/** Whether a draft has another price by the present catalog (CAT-5). */
async function isPricedAnew(ctx: CommandContext, application: Readonly<Application>): Promise<boolean> {
  if (application.status !== 'draft') return false;
  const { amountMinor, insuranceCoverageMinor } = await draftPrice(ctx, application);
  return amountMinor !== application.amountMinor || insuranceCoverageMinor !== application.insuranceCoverageMinor;
}

/** Whether a submitted or approved application needs other documents: something behind it must be corrected (APP-10). */
function mayCorrect(ctx: CommandContext, record: ApplicationRecord, data: readonly (keyof DataChange)[]): boolean {
  return data.length === 0 && needsCorrection(factsOf(record, ctx.now));
}

function correctionRefused(application: Readonly<Application>): DomainError {
  const message =
    'Only documents can be replaced now: while a record behind the application needs a correction, or behind a certificate in force by approved ones that meet the same requirement and are valid at least as long.';
  return new DomainError('invalid_state', { status: application.status, allowed: allowedActions(application) }, message);
}

/** Refuses documents behind a certificate in force that do not renew the former ones (APP-10). */
function requireRenewal(ctx: CommandContext, before: ApplicationRecord, after: ApplicationRecord): void {
  const [old, next] = [factsOf(before, ctx.now), factsOf(after, ctx.now)];
  const requirements = { requiredDocuments: next.requiredDocuments, birthDate: next.profile.birthDate };
  const isRenewed = isRenewal(countedDocuments(old), countedDocuments(next), requirements, next.day) && !needsCorrection(next);
  if (!isRenewed) throw correctionRefused(before.application);
}

/** Whether the set of documents changes, regardless of their order. */
function replacesDocuments({ documents }: ApplicationRecord, { documentIds }: ApplicationChange): boolean {
  if (documentIds === undefined) return false;
  const wanted = new Set(documentIds);
  return wanted.size !== documents.length || documents.some(({ id }) => !wanted.has(id));
}

/**
 * Refuses an incomplete set of documents behind an issued certificate (APP-10). It judges the new documents only, so that several returned
 * ones may be replaced one after another; the submission judges all of them.
 */
function requireComplete(ctx: CommandContext, before: ApplicationRecord, after: ApplicationRecord): void {
  const isKept = new Set(before.documents.map(({ id }) => id));
  const facts = factsOf(after, ctx.now);
  const documents = facts.documents.map((document): AttachedDocument =>
    isKept.has(document.id) ? { ...document, status: 'approved', expiresAt: null, isFileAvailable: true } : document,
  );
  const missing = missingForSubmission({ ...facts, documents, profile: { ...facts.profile, isPhotoAvailable: true } });
  const missingDocuments = missing.filter((rule) => rule !== 'profile' && rule !== 'photo');
  if (missingDocuments.length > 0) throw new DomainError('incomplete_application', { missing: missingDocuments });
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
