import { z } from 'zod';
import { dateTimeResponse, dayResponse, id, idParam, line, note, uuid, versionResponse } from '../../http/schemas.ts';
import type { Database } from '../../platform/database/database.ts';
import { formatDateTime, formatVersion } from '../../platform/time/date-time.ts';
import { eligibilityResponse, presentEligibility, startNumberResponse, type WholeEligibility } from '../competitions/index.ts';
import { documentStatus, documentType, printedNumber } from '../documents/index.ts';
import { judgeRegistrations, type RegistrationRecord } from './queries.ts';
import { registrationStatuses } from './states.ts';
import { offerEndOf } from './waiting-list/places.ts';

export const registrationStatus = z
  .enum(registrationStatuses)
  .describe(
    '`waiting`: in line for a place of a full class; `offered`: a place is kept until `offered_until`; `submitted`: waits for the organizer; `returned`: the athlete must correct it; `withdrawn`: by the athlete, or after a second offer ran out',
  );
export const raceClass = z.string().describe('A class of the settings');
const crewText = 'Other registrations of the event, each in a role of the settings';

/** A registration for the athlete and for the organizer; the organizer does not see all documents. */
export const registrationResponse = z
  .object({
    id,
    event_id: id,
    profile_id: id,
    name: z.string().describe("The athlete's name"),
    application_id: id.nullable().describe('The first of `application_ids`; null with documents of another federation'),
    application_ids: z.array(id).describe('One, or two for an event across New Year'),
    class: raceClass,
    vehicle: z.record(z.string(), z.string()).describe('Values by the code of the vehicle field'),
    crew: z.array(z.object({ role: z.string(), registration_id: id })).describe(crewText),
    status: registrationStatus,
    waiting_place: z.int().nullable().describe('Place in the line of its class, 1 is the next; null unless it waits'),
    offered_until: dateTimeResponse.nullable().describe('Until when an offered place can be accepted; null without an offer'),
    start_number: startNumberResponse,
    reason: z.string().nullable().describe("Reason of the organizer's last return or rejection"),
    documents: z
      .array(
        z.object({
          document_id: id,
          type: documentType,
          number: printedNumber,
          expires_at: dayResponse.nullable(),
          status: documentStatus,
          file_id: uuid.nullable().describe('Null for the organizer, who cannot open it'),
        }),
      )
      .describe(
        'Snapshot of the submission. A draft, or a returned registration that was saved, has its attached documents. The organizer sees only documents of another federation',
      ),
    history: z
      .array(
        z.object({
          at: dateTimeResponse,
          status: registrationStatus,
          actor: z.enum(['athlete', 'organizer', 'registry']).describe('The party that acted; `registry`: a rule'),
          reason: z.string().nullable().describe('With a return or a rejection'),
          start_number: z.string().nullable().describe('After the step'),
        }),
      )
      .describe('Every change of the status, and of the start number of an approved registration, oldest first'),
    eligibility: eligibilityResponse,
    submitted_at: dateTimeResponse.nullable(),
    decided_at: dateTimeResponse.nullable(),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
  })
  .meta({ id: 'EventRegistration' });

/** One row of a batch; each is validated separately. */
export const registrationRow = z.strictObject({
  id: id.optional().describe('Id of an own draft or returned registration that the row replaces'),
  profile_id: id.describe('Id of an own athlete profile'),
  application_id: id.nullable().optional().describe('An issued certificate or licence of the profile'),
  application_ids: z
    .array(id)
    .min(1)
    .max(2)
    .optional()
    .describe('Instead of `application_id`: one, or two that together cover an event across New Year'),
  class: line(100).optional().describe('A class of the settings; optional when there is only one'),
  vehicle: z
    .record(z.string().max(60), line(200))
    .prefault({})
    .describe('Values by the code of the vehicle field; a draft may lack required fields'),
  crew: z
    .array(z.strictObject({ role: line(60), registration_id: id }))
    .max(50)
    .prefault([])
    .describe('Other registrations of the event, each in a role of the settings'),
  document_ids: z
    .array(id)
    .max(20)
    .prefault([])
    .describe('Approved `naf_permission` and `foreign_naf_license` of the profile; both together replace `application_id`'),
});

const { $schema: _dialect, ...publishedRow } = z.toJSONSchema(registrationRow, { io: 'input', unrepresentable: 'any' });

export const batchBody = z
  .strictObject({
    // REG-1: rows are validated separately, also their shape.
    registrations: z
      .array(z.unknown().meta({ wire: publishedRow }))
      .min(1)
      .max(100),
    submit: z.boolean().describe('false: saves drafts; a returned registration stays returned'),
  })
  .meta({ id: 'EventRegistrationBatch' });

export const batchResponse = z
  .object({
    results: z.array(
      z.object({
        index: z.int().min(0).describe('Position of the row, from 0'),
        ok: z.boolean().describe('Whether the row was saved'),
        id: id.optional().describe('Id of the created or changed registration'),
        error: z
          .object({
            code: z.string(),
            message: z.string(),
            details: z.record(z.string(), z.unknown()).optional().describe('Facts for the next step'),
          })
          .optional()
          .describe('Like the `error` of a refusal; paths of fields start with `body.registrations.<index>`'),
      }),
    ),
  })
  .meta({ id: 'EventRegistrationBatchResult' });

export const registerBody = z
  .strictObject({
    profile_id: id,
    application_id: id,
    class: line(100).optional().describe('Optional when the event has one class'),
  })
  .meta({ id: 'NewEventRegistration' });

const startNumber = line(20).meta({ description: 'Unique in the event', examples: ['17'] });

/** A decision with what it needs, or a start number alone. */
export const decisionBody = z
  .strictObject({
    decision: z
      .enum(['approve', 'return', 'reject', 'offer'])
      .optional()
      .describe('`offer`: offers a free place to a registration that waits. Absent: only the start number changes'),
    start_number: startNumber
      .nullable()
      .optional()
      .describe('With `approve`, or alone for an approved registration; null clears it. Unique in the event'),
    reason: note.nullable().optional().describe('Required for `return` and `reject`, 5-3000 characters'),
  })
  .superRefine(({ decision, start_number: number, reason }, context) => {
    const wrong = (field: string, code: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, params: { code } });
    if (decision === undefined) {
      if (number === undefined) wrong('decision', 'required', 'is required without start_number');
      if (reason !== undefined) wrong('reason', 'not_allowed', 'is not allowed without a decision');
    } else if (decision === 'offer') {
      if (reason !== undefined) wrong('reason', 'not_allowed', 'is not allowed for this decision');
      if (number !== undefined) wrong('start_number', 'not_allowed', 'is not allowed for this decision');
    } else if (decision !== 'approve') {
      if (reason === undefined || reason === null) wrong('reason', 'required', 'is required for this decision');
      if (number !== undefined) wrong('start_number', 'not_allowed', 'is not allowed for this decision');
    }
  })
  .meta({ id: 'EventRegistrationDecision' });

export const eventRegistrationParams = z.strictObject({ id: idParam, registration_id: idParam });

/** The reader of a registration. An administrator sees the athlete's view. */
export type RegistrationViewer = 'athlete' | 'organizer';

/**
 * Presents a registration to its athlete or to the event's organizer. The organizer sees neither the history of the draft (REG-8) nor the
 * documents of a licence.
 */
function presentRegistration(
  record: RegistrationRecord,
  eligibility: WholeEligibility,
  viewer: RegistrationViewer,
): z.input<typeof registrationResponse> {
  const { registration, profile, licences, documents, crew, history } = record;
  const { offeredUntil } = registration;
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
    waiting_place: record.waitingPlace,
    offered_until: offeredUntil === null ? null : formatDateTime(offerEndOf({ offeredUntil }, record.event)),
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
      .map(({ at, status, actor, reason, startNumber: number }) => ({
        at: formatDateTime(at),
        status,
        actor,
        reason,
        start_number: number,
      })),
    eligibility: presentEligibility(eligibility),
    submitted_at: formatDateTime(registration.submittedAt),
    decided_at: formatDateTime(registration.decidedAt),
    created_at: formatDateTime(registration.createdAt),
    updated_at: formatVersion(registration.updatedAt),
  };
}

/** Presents registrations with their eligibility, in their order. */
export async function presentRegistrations(
  db: Database,
  now: Date,
  records: readonly RegistrationRecord[],
  viewer: RegistrationViewer,
): Promise<z.input<typeof registrationResponse>[]> {
  const judged = await judgeRegistrations(db, records, now);
  return records.flatMap((record) => {
    const eligibility = judged.get(record.id);
    return eligibility === undefined ? [] : [presentRegistration(record, eligibility, viewer)];
  });
}
