import { randomBytes } from 'node:crypto';
import { DomainError } from '../errors.ts';
import { audit } from '../administration/audit.ts';
import type { ServiceKind } from '../catalog/entities.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { dayOf, lastDayOfYear } from '../platform/date-time.ts';
import type { CertificateSnapshot } from './entities.ts';
import { markChanged, recordAfter } from './lock-application.ts';
import type { LockedApplication } from './lock-application.ts';
import type { ApplicationRecord, IssuedCertificate } from './record.ts';
import { requireTransition } from './states.ts';
import { executePrepared, sendPrepared } from '../platform/database/prepared.ts';

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
 * puts the one it has back into force as it was issued (service.md: "an issued certificate cannot be overwritten").
 * @returns the application as it then stands
 */
export async function approveApplication(ctx: CommandContext, locked: LockedApplication, validity: Validity): Promise<ApplicationRecord> {
  const { application, record } = locked;
  application.status = requireTransition(application.status, 'approve');
  application.approvedAt = ctx.now;
  application.reviewNote = null;
  markChanged(ctx, application);
  const issued = record.certificate ?? (await issueCertificate(ctx, record, validity));
  audit(
    ctx,
    'application.approved',
    { kind: 'application', id: application.id },
    {
      number: issued.number,
      valid_from: issued.validFrom,
      valid_until: issued.validUntil,
      reissued: record.certificate !== null,
    },
  );
  notify(
    ctx,
    application.ownerId,
    'application.approved',
    { kind: 'application', id: application.id },
    {
      service: record.service.title.en,
      number: issued.number,
      valid_until: issued.validUntil,
    },
  );
  return { ...recordAfter(locked), certificate: issued };
}

async function issueCertificate(ctx: CommandContext, record: ApplicationRecord, validity: Validity): Promise<IssuedCertificate> {
  const { series, digits } = numbering[record.kind];
  const [, sequence] = await Promise.all([holdPhoto(ctx, record.profile.photoId), takeNumber(ctx, series, record.year)]);
  const number = `KZ-${series}-${record.year}-${String(sequence).padStart(digits, '0')}`;
  const token = randomBytes(32).toString('base64url');
  const snapshot = snapshotOf(record);
  sendPrepared(
    ctx.em,
    `insert into certificates (application_id, number, series, year, sequence, token, valid_from, valid_until, snapshot, issued_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [record.id, number, series, record.year, sequence, token, validity.validFrom, validity.validUntil, JSON.stringify(snapshot), ctx.now],
  );
  return { number, token, ...validity, snapshot, issuedAt: ctx.now, pdf: null };
}

/**
 * Keeps the photo that is about to be printed from being deleted before the certificate that uses it is there to be seen.
 * @throws {DomainError} service_unavailable, when it was exchanged and deleted since the record was read; the next try sees the new one
 */
async function holdPhoto(ctx: CommandContext, photoId: string | null): Promise<void> {
  if (photoId === null) return;
  const held = await executePrepared<unknown>(ctx.em, 'select 1 from files where id = $1 and deleted_at is null for share', [photoId]);
  if (held.length === 0) throw new DomainError('service_unavailable');
}

/** Series of numbers (decisions.md §4); a fee is never issued as a document of its own but shares the last one. */
const numbering: Record<ServiceKind, { series: 'N' | 'I' | 'D'; digits: number }> = {
  national_certificate: { series: 'N', digits: 6 },
  international_licence: { series: 'I', digits: 5 },
  document: { series: 'D', digits: 6 },
  event_fee: { series: 'D', digits: 6 },
};

/** The row's lock lasts until the transaction ends, so a number is either used or, with the rollback, free again: no gap, no double. */
async function takeNumber(ctx: CommandContext, series: string, year: number): Promise<number> {
  const [row] = await executePrepared<{ last: number }>(
    ctx.em,
    `insert into number_series (series, year, last) values ($1, $2, 1)
     on conflict (series, year) do update set last = number_series.last + 1 returning last`,
    [series, year],
  );
  if (!row) throw new Error(`the series ${series} of ${year} gave no number`);
  return row.last;
}

function snapshotOf({ profile, service, discipline, data, kind, insuranceCoverageMinor }: ApplicationRecord): CertificateSnapshot {
  return {
    holderName: profile.name,
    birthDate: profile.birthDate,
    citizenship: profile.citizenship,
    serviceTitle: service.title,
    serviceCategory: service.category,
    disciplineTitle: discipline?.title ?? null,
    team: data.team ?? null,
    sport: data.sport ?? null,
    insuranceTerritory: kind === 'national_certificate' ? data.insurance_territory : null,
    insuranceCoverageMinor,
    photoFileId: profile.photoId,
  };
}
