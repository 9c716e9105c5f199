import { randomBytes } from 'node:crypto';
import { DomainError } from '../../errors.ts';
import { asRegistry, type CommandContext } from '../../platform/commands/context.ts';
import { json } from '../../platform/database/database.ts';
import { lastDayOfYear } from '../../platform/time/date-time.ts';
import type { ServiceKind } from '../catalog/index.ts';
import { drawPlace } from '../credentials/index.ts';
import { reminderAfter } from '../documents/index.ts';
import { notify } from '../notifications/index.ts';
import { recordStep, markChanged } from './command-parts.ts';
import type { CertificateSnapshot } from './entities.ts';
import { applicationNotifications } from './notifications.ts';
import { dueStep } from './readiness/due-step.ts';
import type { ApplicationRecord, IssuedCertificate, LockedApplication } from './record.ts';
import { transition } from './states.ts';
import { judgedDay } from './year.ts';

/** Both days included, `YYYY-MM-DD`. */
export interface Validity {
  validFrom: string;
  validUntil: string;
}

/** Returns the default validity: from the approval day, at the earliest 1 January, to 31 December of the application's year (APP-8). */
export function usualValidity(application: { year: number }, now: Date): Validity {
  return { validFrom: judgedDay(application.year, now), validUntil: lastDayOfYear(application.year) };
}

/**
 * Approves an application whose readiness the caller has checked.
 *
 * Issues the certificate with number, token and dates. A certificate that was issued before comes back into force unchanged (APP-6).
 * A fee gets neither number nor certificate (APP-17).
 */
export async function approveApplication(ctx: CommandContext, locked: LockedApplication, validity: Validity): Promise<LockedApplication> {
  const { application, service } = locked;
  transition(application, 'approve');
  application.approvedAt = ctx.now;
  application.reviewNote = null;
  const isReissued = locked.certificate !== null;
  if (application.kind !== 'event_fee') locked.certificate ??= await issueCertificate(ctx, locked, validity);
  const issued = locked.certificate;
  // A reissued certificate keeps its last day, so a reminder that is already due must still be sent (APP-16).
  if (issued !== null && !isReissued) application.remindAt = reminderAfter(issued.validUntil, ctx.now);
  // Saves the process a second UPDATE for the same value.
  if (application.dueAt !== null && application.remindAt !== null && application.remindAt < application.dueAt)
    application.dueAt = application.remindAt;
  markChanged(ctx, application);
  const printed = issued === null ? {} : { number: issued.number, valid_until: issued.validUntil };
  const step = issued === null ? {} : { ...printed, valid_from: issued.validFrom, reissued: isReissued };
  await recordStep(ctx, locked, 'approved', step);
  const facts = { service: service.title, ...printed };
  const subject = { kind: 'application', id: application.id };
  await notify(ctx, application.ownerId, applicationNotifications['application.approved'], subject, facts);
  return locked;
}

async function issueCertificate(ctx: CommandContext, record: ApplicationRecord, validity: Validity): Promise<IssuedCertificate> {
  const { id: applicationId, kind, year } = record.application;
  if (kind === 'event_fee') throw new Error(`application ${applicationId} is a fee, and no certificate is issued for it`);
  const { series, digits } = numbering[kind];
  await holdPhoto(ctx, record.profile.photoId);
  const sequence = await takeNumber(ctx, series, year);
  const number = `KZ-${series}-${year}-${String(sequence).padStart(digits, '0')}`;
  const token = randomBytes(32).toString('base64url');
  const snapshot = snapshotOf(record);
  const issuedAt = ctx.now;
  await ctx.db
    .insertInto('certificates')
    .values({ applicationId, number, series, year, sequence, token, ...validity, snapshot: json(snapshot), issuedAt })
    .execute();
  await drawPlace(ctx, applicationId);
  return { number, token, ...validity, snapshot, issuedAt, pdf: null };
}

/**
 * Takes the next number of a series in a year, for certificates, licences, documents and agreements (APP-7).
 *
 * The row lock lasts until the transaction ends. A rollback returns the number, so there are no gaps and no duplicates.
 */
export async function takeNumber(ctx: CommandContext, series: string, year: number): Promise<number> {
  const { last } = await ctx.db
    .insertInto('number_series')
    .values({ series, year, last: 1 })
    .onConflict((conflict) => conflict.columns(['series', 'year']).doUpdateSet((eb) => ({ last: eb('number_series.last', '+', 1) })))
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}

/**
 * Locks the photo in share mode, so that it is not deleted before the certificate row is committed.
 * @throws {DomainError} service_unavailable when the photo was replaced and deleted since the read; a retry reads the new one
 */
async function holdPhoto(ctx: CommandContext, photoId: string | null): Promise<void> {
  if (photoId === null) return;
  const held = await ctx.db.selectFrom('files').select('id').where('id', '=', photoId).where('deletedAt', 'is', null).forShare().execute();
  if (held.length === 0) throw new DomainError('service_unavailable');
}

/** Number series by kind (APP-7); a fee has none. */
const numbering: Record<Exclude<ServiceKind, 'event_fee'>, { series: 'N' | 'I' | 'D'; digits: number }> = {
  national_certificate: { series: 'N', digits: 6 },
  international_licence: { series: 'I', digits: 5 },
  document: { series: 'D', digits: 6 },
};

/** Copies what the certificate prints; later corrections do not change it (APP-14). */
function snapshotOf({ application, profile, service, discipline }: ApplicationRecord): CertificateSnapshot {
  const { data, kind } = application;
  return {
    holderName: profile.name,
    holderNames: profile.names,
    birthDate: profile.birthDate,
    citizenship: profile.citizenship,
    serviceTitle: service.title,
    serviceCategory: service.category,
    disciplineTitle: discipline?.title ?? null,
    team: data.team ?? null,
    sport: data.sport ?? null,
    insuranceTerritory: kind === 'national_certificate' ? data.insurance_territory : null,
    insuranceCoverageMinor: application.insuranceCoverageMinor,
    photoFileId: profile.photoId,
  };
}

/**
 * Approves a national certificate or a fee at once when every readiness rule holds (APP-5).
 *
 * The registry is the actor, not the user whose action completed the rules. Other kinds wait for an administrator.
 * @returns the application, approved or unchanged
 */
export async function approveWhenReady(ctx: CommandContext, locked: LockedApplication): Promise<LockedApplication> {
  if (dueStep(locked, ctx.now) !== 'approve') return locked;
  return approveApplication(asRegistry(ctx), locked, usualValidity(locked.application, ctx.now));
}
