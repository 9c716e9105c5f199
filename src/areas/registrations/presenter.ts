import type { z } from 'zod';
import { formatDateTime, formatVersion } from '../../platform/date-time.ts';
import type { Eligibility } from './eligibility.ts';
import { eligibilityOfRecord, type RegistrationRecord } from './record.ts';
import type { eligibilityResponse, registrationResponse } from './schemas.ts';

/** The reader of a registration. An administrator sees the athlete's view. */
export type RegistrationViewer = 'athlete' | 'organizer';

/**
 * Presents a registration to its athlete or to the event's organizer. The organizer sees neither the history of the draft (REG-8) nor the
 * documents of a licence.
 */
export function presentRegistration(record: RegistrationRecord, viewer: RegistrationViewer): z.input<typeof registrationResponse> {
  const { registration, profile, licences, documents, crew, history } = record;
  const isOrganizer = viewer === 'organizer';
  const applicationIds = licences.map(({ applicationId }) => applicationId);
  return {
    id: registration.id,
    event_id: registration.eventId,
    profile_id: profile.id,
    name: profile.name,
    application_id: applicationIds[0] ?? null,
    application_ids: applicationIds,
    class: registration.class,
    vehicle: registration.vehicle,
    crew: crew.map(({ role, registrationId }) => ({ role, registration_id: registrationId })),
    status: registration.status,
    start_number: registration.startNumber,
    reason: registration.reason,
    documents: documents
      .filter(({ isAttached }) => isAttached || !isOrganizer)
      .map((document) => ({
        document_id: document.documentId,
        type: document.type,
        number: document.number,
        expires_at: document.expiresAt,
        status: document.status,
        file_id: isOrganizer ? null : document.fileId,
      })),
    history: history
      .filter(({ status }) => status !== 'draft' || !isOrganizer)
      .map(({ at, status, actor, reason }) => ({ at: formatDateTime(at), status, actor, reason })),
    eligibility: presentEligibility(eligibilityOfRecord(record)),
    submitted_at: registration.submittedAt && formatDateTime(registration.submittedAt),
    decided_at: registration.decidedAt && formatDateTime(registration.decidedAt),
    created_at: formatDateTime(registration.createdAt),
    updated_at: formatVersion(registration.updatedAt),
  };
}

/** Presents eligibility in registrations, in options and as `details.reasons` of a refusal. */
export function presentEligibility({ ok, reasons }: Eligibility): z.input<typeof eligibilityResponse> {
  return {
    ok,
    reasons: reasons.map(({ code, day, untilDay, documentId }) => ({
      code,
      day,
      ...(untilDay === day ? {} : { until_day: untilDay }),
      ...(documentId === null ? {} : { document_id: documentId }),
    })),
  };
}
