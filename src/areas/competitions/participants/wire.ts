import { z } from 'zod';
import { dateTimeResponse, id, idParam, line, versionResponse } from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
import type { WholeEligibility } from '../eligibility/eligibility.ts';
import { eligibilityResponse, presentEligibility } from '../eligibility/wire.ts';
import type { Participant } from '../entities.ts';
import { resultStatuses } from '../events/states.ts';

/** Characters of a scanned text, as at the gate. The link of a certificate's QR has its credential: 540 characters and a long host. */
const longestScan = 4_096;

const certificate = line(longestScan).meta({
  description: 'Number of the certificate, its verification code, or the whole link of its QR',
  examples: ['KZ-N-2026-000001'],
});
const category = line(100).describe('Called `class` in registrations and public results');
/** The pattern that `line` publishes. */
const oneLine = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;
/** Accepts a text or an integer and stores a text: `7A` is a start number too. */
const startNumber = z
  .union([line(20), z.int().min(0).max(999_999_999)])
  .transform(String)
  .meta({
    wire: {
      type: ['string', 'integer'],
      minLength: 1,
      maxLength: 20,
      pattern: oneLine,
      minimum: 0,
      maximum: 999_999_999,
      description: 'Number in the race, such as `7A`',
      examples: ['17'],
    },
  });
const resultStatus = z.enum(resultStatuses).describe('`dnf`: did not finish, `dns`: did not start, `dsq`: disqualified');
const place = z.int().min(1).max(100_000).describe('Place in the category');
const result = line(200).meta({ description: 'Free text of the organizer', examples: ['1:24:05.3'] });

export const startNumberResponse = z.string().nullable().describe('Number in the race, such as `7A`; null without one');

/** A result for readers who are not its organizer. */
export const shownResult = {
  class: z.string().nullable().describe('The category of the participant'),
  start_number: startNumberResponse,
  place: place.nullable(),
  result: result.nullable(),
  result_status: resultStatus,
};

export const participantParams = z.strictObject({ id: idParam, application_id: idParam });

export const newParticipantBody = z
  .strictObject({
    certificate,
    category: category.nullable().optional(),
    start_number: startNumber.nullable().optional(),
    result_status: resultStatus.optional().meta({ default: 'registered' }),
    place: place.nullable().optional(),
    result: result.nullable().optional(),
  })
  .meta({ id: 'NewParticipant' });

/** An absent field stays as it is; null clears a field. */
export const participantChangesBody = newParticipantBody
  .omit({ certificate: true })
  .extend({ result_status: resultStatus.optional() })
  .meta({ id: 'ParticipantChanges' });

export const participantResponse = z
  .object({
    application_id: id.describe('Application of the certificate; identifies the participant in paths'),
    event_id: id,
    profile_id: id,
    name: z.string().describe('Name on the certificate'),
    certificate_number: z.string().describe('Number of the certificate'),
    category: category.nullable(),
    start_number: startNumberResponse,
    result_status: resultStatus,
    place: place.nullable(),
    result: result.nullable(),
    eligibility: eligibilityResponse,
    created_at: dateTimeResponse,
    updated_at: versionResponse,
  })
  .meta({ id: 'Participant' });

export function presentParticipant(participant: Readonly<Participant>, eligibility: WholeEligibility): z.input<typeof participantResponse> {
  return {
    application_id: participant.applicationId,
    event_id: participant.eventId,
    profile_id: participant.profileId,
    name: participant.name,
    certificate_number: participant.certificateNumber,
    category: participant.category,
    start_number: participant.startNumber,
    result_status: participant.resultStatus,
    place: participant.place,
    result: participant.result,
    eligibility: presentEligibility(eligibility),
    created_at: formatDateTime(participant.createdAt),
    updated_at: formatVersion(participant.updatedAt),
  };
}
