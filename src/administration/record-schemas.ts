import { z } from 'zod';
import { applicationResponse, readinessRule } from '../applications/index.ts';
import { documentResponse } from '../documents/index.ts';
import { dateTimeResponse, dayResponse, id, processResponse } from '../http/schemas.ts';
import { profileResponse } from '../profiles/index.ts';

const owner = z.object({ id, name: z.string(), email: z.string() });

const profileOfRecord = profileResponse.extend({
  duplicate_iin: z.boolean().meta({ description: 'Another account has a profile with the same IIN' }),
});

/** One decision of an administrator. */
const pastDecision = z.object({
  decision: z.enum(['approve', 'changes', 'cancel']),
  note: z.string().nullable(),
  from_status: z.string(),
  to_status: z.string(),
  actor_id: id,
  at: dateTimeResponse,
});

/** All that an administrator needs to decide on an application (service.md "Administration"). */
export const applicationRecordResponse = applicationResponse
  .extend({
    owner,
    profile: profileOfRecord,
    documents: z.array(documentResponse).meta({ description: 'Each with its `file_id`, which GET /files/{uuid} opens' }),
    certificate_review: z.object({
      conditions: z.array(readinessRule).meta({ description: 'Every condition of approval and how it stands; the same function decides' }),
      can_approve: z.boolean(),
      available_actions: z
        .array(z.enum(['approve', 'changes', 'cancel']))
        .meta({ description: 'Decisions that POST /admin/review takes now' }),
      revision: z.int().meta({ description: 'To be sent with the decision' }),
      valid_from: dayResponse.meta({ description: 'Of the certificate, or the one it would get when none is given' }),
      valid_until: dayResponse,
    }),
    history: z.array(pastDecision),
    process: processResponse,
  })
  .meta({ id: 'ApplicationRecord' });

/** All that an administrator needs to correct a profile. */
export const profileRecordResponse = profileOfRecord
  .extend({
    owner,
    documents: z.array(documentResponse).meta({ description: 'Each with its `file_id`, which GET /files/{uuid} opens' }),
    history: z
      .array(pastDecision.extend({ part: z.enum(['profile', 'photo']).meta({ description: '`profile`: its data' }) }))
      .meta({ description: 'Every decision on the data and on the photo, the oldest first' }),
    process: processResponse,
  })
  .meta({ id: 'ProfileRecord' });

/** All that an administrator needs to correct a document. */
export const documentRecordResponse = documentResponse
  .extend({
    owner,
    profile: profileOfRecord,
    applications: z
      .array(z.object({ id, service_id: id, status: z.string() }))
      .meta({ description: 'Those it is attached to, whatever became of them' }),
    registrations: z.array(z.object({ id, event_id: id, status: z.string() })).meta({ description: 'Those whose snapshot holds it' }),
    history: z.array(pastDecision).meta({ description: 'Every decision, the oldest first' }),
    process: processResponse,
  })
  .meta({ id: 'DocumentRecord' });

/** What a correction answers: the record as it then stands, as much of it as the caller may read. */
const corrected = { id: true, status: true, updated_at: true } as const;
export const correctedProfileResponse = profileRecordResponse.partial().required(corrected).meta({
  id: 'CorrectedProfile',
  description: 'The whole record; with a key that lacks `admin:read` only `id`, `status` and `updated_at`',
});
export const correctedDocumentResponse = documentRecordResponse.partial().required(corrected).meta({
  id: 'CorrectedDocument',
  description: 'The whole record; with a key that lacks `admin:read` only `id`, `status` and `updated_at`',
});
