import { z } from 'zod';
import { decisionResponse } from '../../reviews/index.ts';
import { dateTimeResponse, dayResponse, id, ownerResponse as owner, processResponse } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { applicationResponse, presentApplication, readinessRule, reviewOf } from '../../applications/index.ts';
import { documentResponse, presentDocument } from '../../documents/index.ts';
import { presentProfile, type Profile, profileResponse } from '../../profiles/index.ts';
import type { ApplicationCase, DocumentCase, ProfileCase, PastDecision } from './queries.ts';

const profileOfRecord = profileResponse.extend({
  duplicate_iin: z.boolean().describe('Another account has a profile with the same IIN'),
});

/** One decision of an administrator. */
const pastDecision = z.object({
  decision: decisionResponse,
  note: z.string().nullable(),
  from_status: z.string().describe('Status before the decision'),
  to_status: z.string().describe('Status after it'),
  actor_id: id.describe('The administrator who decided'),
  at: dateTimeResponse,
});

/** Records and decisions that an administrator needs to decide on an application. */
export const applicationRecordResponse = applicationResponse
  .extend({
    owner,
    profile: profileOfRecord,
    documents: z.array(documentResponse).describe('GET /files/{uuid} opens their `file_id`'),
    certificate_review: z.object({
      conditions: z.array(readinessRule).describe('Conditions of approval; the approval checks the same ones'),
      can_approve: z.boolean().describe('Whether all conditions are met'),
      available_actions: z.array(z.enum(['approve', 'changes', 'cancel'])).describe('Decisions that POST /admin/review accepts now'),
      revision: z.int().describe('Send it with the decision'),
      valid_from: dayResponse.describe('First day of the certificate, or its default before the issue'),
      valid_until: dayResponse,
    }),
    history: z.array(pastDecision).describe('All decisions, oldest first'),
    process: processResponse,
  })
  .meta({ id: 'ApplicationRecord' });

/** Records and decisions that an administrator needs to correct a profile. */
export const profileRecordResponse = profileOfRecord
  .extend({
    owner,
    documents: z.array(documentResponse).describe('GET /files/{uuid} opens their `file_id`'),
    applications: z
      .array(
        z.object({
          id,
          service_id: id,
          year: z.int(),
          status: z.string().describe('As in `GET /applications/{id}`'),
          number: z.string().nullable().describe('Number of the certificate; null without one'),
        }),
      )
      .describe('The 100 newest applications of the profile, in any status'),
    history: z
      .array(pastDecision.extend({ part: z.enum(['profile', 'photo']).describe('`profile`: the data') }))
      .describe('All decisions on data and photo, oldest first'),
    process: processResponse,
  })
  .meta({ id: 'ProfileRecord' });

/** Records and decisions that an administrator needs to correct a document. */
export const documentRecordResponse = documentResponse
  .extend({
    owner,
    profile: profileOfRecord,
    applications: z
      .array(z.object({ id, service_id: id, status: z.string().describe('As in `GET /applications/{id}`') }))
      .describe('Applications with this document, in any status'),
    registrations: z
      .array(z.object({ id, event_id: id, status: z.string().describe('As in `GET /registrations/{id}`') }))
      .describe('Registrations with this document in their snapshot'),
    history: z.array(pastDecision).describe('All decisions, oldest first'),
    process: processResponse,
  })
  .meta({ id: 'DocumentRecord' });

/** Answer of a correction: the record after the change; a caller without `admin:read` gets a part of it. */
const corrected = { id: true, status: true, updated_at: true } as const;
export const correctedProfileResponse = profileRecordResponse.partial().required(corrected).meta({
  id: 'CorrectedProfile',
  description: 'The whole record; without `admin:read` only `id`, `status` and `updated_at`',
});
export const correctedDocumentResponse = documentRecordResponse.partial().required(corrected).meta({
  id: 'CorrectedDocument',
  description: 'The whole record; without `admin:read` only `id`, `status` and `updated_at`',
});

/** Presents an application with its records, without its process. @param siteUrl the public address, for the verification link */
export function presentApplicationCase(
  { record, owner, profile, documents, history }: ApplicationCase,
  now: Date,
  siteUrl: string,
): Omit<z.input<typeof applicationRecordResponse>, 'process'> {
  const { process: _process, ...presented } = presentApplication(record, now, siteUrl);
  return {
    ...presented,
    owner,
    profile: presentProfileOfRecord(profile),
    documents: documents.map(presentDocument),
    certificate_review: reviewOf(record, now),
    history: history.map(presentDecision),
  };
}

/** Presents a profile with its records, without its process. */
export function presentProfileCase({
  profile,
  owner,
  documents,
  applications,
  history,
}: ProfileCase): Omit<z.input<typeof profileRecordResponse>, 'process'> {
  return {
    ...presentProfileOfRecord(profile),
    owner,
    documents: documents.map(presentDocument),
    applications: applications.map(({ id, serviceId, year, status, number }) => ({ id, service_id: serviceId, year, status, number })),
    history: history.map((made) => ({ part: made.subjectKind === 'photo' ? 'photo' : 'profile', ...presentDecision(made) })),
  };
}

/** Presents a document with the records that use it, without its process. */
export function presentDocumentCase({
  document,
  profile,
  owner,
  applications,
  registrations,
  history,
}: DocumentCase): Omit<z.input<typeof documentRecordResponse>, 'process'> {
  return {
    ...presentDocument(document),
    owner,
    profile: presentProfileOfRecord(profile),
    applications: applications.map(({ id, serviceId, status }) => ({ id, service_id: serviceId, status })),
    registrations: registrations.map(({ id, eventId, status }) => ({ id, event_id: eventId, status })),
    history: history.map(presentDecision),
  };
}

function presentProfileOfRecord(profile: Readonly<Profile>) {
  return { ...presentProfile(profile), duplicate_iin: profile.duplicateIin };
}

function presentDecision(made: PastDecision): z.input<typeof applicationRecordResponse>['history'][number] {
  return {
    decision: made.decision,
    note: made.note,
    from_status: made.fromStatus,
    to_status: made.toStatus,
    actor_id: made.actorId,
    at: formatDateTime(made.at),
  };
}
