import { randomBytes } from 'node:crypto';
import { DomainError } from '../../errors.ts';
import { asRegistry, type CommandContext } from '../../platform/context.ts';
import { json } from '../../platform/database/database.ts';
import { dayOf, lastDayOfYear } from '../../platform/date-time.ts';
import type { ServiceKind } from '../catalog/index.ts';
import { reminderAfter } from '../documents/index.ts';
import { notify } from '../notifications/index.ts';
import { dueStep } from './due-step.ts';
import type { CertificateSnapshot } from './entities.ts';
import { type LockedApplication, markChanged } from './lock-application.ts';
import { applicationNotifications } from './notifications.ts';
import { recordStep, takeNumber } from './record-step.ts';
import type { ApplicationRecord, IssuedCertificate } from './record.ts';
import { transition } from './states.ts';

/** Both days included, `YYYY-MM-DD`. */
export interface Validity {
  validFrom: string;
  validUntil: string;
}

/** From the approval day to 31 December of the application's year (decisions.md §4). */
export function usualValidity(application: { year: number }, now: Date): Validity {
  return { validFrom: dayOf(now), validUntil: lastDayOfYear(application.year) };
}

/**
 * Approves an application whose conditions the caller has tested: issues its certificate with a number, a token and dates, or
 * puts the one it has back into force as it was issued (service.md: "an issued certificate cannot be overwritten"). For a fee, which
 * gets neither a number nor a certificate, it is the end of the matter.
 * @returns the application as it then stands
 */
export async function approveApplication(ctx: CommandContext, locked: LockedApplication, validity: Validity): Promise<LockedApplication> {
  const { application, service } = locked;
  transition(application, 'approve');
  application.approvedAt = ctx.now;
  application.reviewNote = null;
  markChanged(ctx, application);
  const subject = { kind: 'application', id: application.id };
  if (application.kind === 'event_fee') {
    await recordStep(ctx, locked, 'approved');
    await notify(ctx, application.ownerId, applicationNotifications['application.approved'], subject, { service: service.title });
    return locked;
  }
  const isReissued = locked.certificate !== null;
  const issued = locked.certificate ?? (await issueCertificate(ctx, locked, validity));
  locked.certificate = issued;
  const { number, validFrom, validUntil } = issued;
  // One that was issued before has the same last day; a reminder of it that has come by now is still to be told.
  if (!isReissued) application.remindAt = reminderAfter(validUntil, ctx.now);
  // Its process would keep that right after, by another statement.
  if (application.dueAt !== null && application.remindAt !== null && application.remindAt < application.dueAt)
    application.dueAt = application.remindAt;
  await recordStep(ctx, locked, 'approved', { number, valid_from: validFrom, valid_until: validUntil, reissued: isReissued });
  await notify(ctx, application.ownerId, applicationNotifications['application.approved'], subject, {
    service: service.title,
    number,
    valid_until: validUntil,
  });
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
  return { number, token, ...validity, snapshot, issuedAt, pdf: null };
}

/**
 * Keeps the photo that is about to be printed from being deleted before the certificate that uses it is there to be seen.
 * @throws {DomainError} service_unavailable, when it was exchanged and deleted since the record was read; the next try sees the new one
 */
async function holdPhoto(ctx: CommandContext, photoId: string | null): Promise<void> {
  if (photoId === null) return;
  const held = await ctx.db.selectFrom('files').select('id').where('id', '=', photoId).where('deletedAt', 'is', null).forShare().execute();
  if (held.length === 0) throw new DomainError('service_unavailable');
}

/** Series of numbers (decisions.md §4); a fee has none. */
const numbering: Record<Exclude<ServiceKind, 'event_fee'>, { series: 'N' | 'I' | 'D'; digits: number }> = {
  national_certificate: { series: 'N', digits: 6 },
  international_licence: { series: 'I', digits: 5 },
  document: { series: 'D', digits: 6 },
};

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
 * Approves a national certificate as soon as every condition holds; no administrator is needed (service.md "Application"), and it is
 * the registry that does so: whoever brought the last condition about has not approved it.
 * Other kinds wait for their review.
 * @returns the application as it then stands
 */
export async function approveWhenReady(ctx: CommandContext, locked: LockedApplication): Promise<LockedApplication> {
  if (dueStep(locked, ctx.now) !== 'approve') return locked;
  return approveApplication(asRegistry(ctx), locked, usualValidity(locked.application, ctx.now));
}
