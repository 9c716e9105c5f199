import { z } from 'zod';
import { applicationResponse, readinessRule } from '../applications/index.ts';
import { documentResponse } from '../documents/index.ts';
import { dateTimeResponse, dayResponse, id, processResponse } from '../http/schemas.ts';
import { profileResponse } from '../profiles/index.ts';

/** All that an administrator needs to decide on an application (service.md "Administration"). */
export const applicationRecordResponse = applicationResponse
  .extend({
    owner: z.object({ id, name: z.string(), email: z.string() }),
    profile: profileResponse.extend({
      duplicate_iin: z.boolean().meta({ description: 'Another account has a profile with the same IIN' }),
    }),
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
    history: z.array(
      z.object({
        decision: z.enum(['approve', 'changes', 'cancel']),
        note: z.string().nullable(),
        from_status: z.string(),
        to_status: z.string(),
        actor_id: id,
        at: dateTimeResponse,
      }),
    ),
    process: processResponse,
  })
  .meta({ id: 'ApplicationRecord' });
