import { z } from 'zod';
import { dateTimeResponse, id, note } from '../../../http/schemas.ts';
import { erasureBlockerCodes } from '../../../platform/erasure-blockers.ts';
import { keptReasons } from '../../../platform/personal-data.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { confirmation } from '../../accounts/index.ts';
import type { AccountErasure } from '../entities.ts';
import type { Blocked, ErasureCounts } from './queries.ts';

export const erasureBody = z.strictObject(confirmation).meta({ id: 'AccountErasureRequest' });
export const erasureOfBody = z
  .strictObject({ reason: note.describe('How the person asked for it; stored with the erasure until it is carried out'), ...confirmation })
  .meta({ id: 'AccountErasureRequestOnPaper' });

const reasons = Object.keys(keptReasons) as (keyof typeof keptReasons)[];
const counts = z.record(z.string(), z.int());

export const erasureResponse = z
  .object({
    status: z.enum(['none', 'waiting', 'done']).describe('`waiting` until nothing is left of the person, then `done`'),
    due_at: dateTimeResponse
      .nullable()
      .describe('When the account is erased; until then the request can be withdrawn. Null unless it waits'),
    requested_at: dateTimeResponse.nullable(),
    erased_at: dateTimeResponse.nullable().describe('When the person was taken out of the records; the bytes of files go afterwards'),
    preview: z
      .object({
        erased: counts.describe('Records that go, by kind; `file_content` are files whose bytes go'),
        kept: z
          .array(
            z.object({
              kind: z.string().describe('Of records, as in the audit'),
              n: z.int().describe('How many there are'),
              why: z.enum(reasons).describe(reasons.map((reason) => `\`${reason}\`: ${keptReasons[reason]}`).join('; ')),
              until: dateTimeResponse.nullable().describe('From when an administrator may decide to delete them; null for good'),
            }),
          )
          .describe('Records that stay, without what identifies the person; agreements stay whole'),
        blocked_by: z
          .array(
            z.object({
              code: z.enum(erasureBlockerCodes),
              kind: z.string().describe('Of the records, as in the audit'),
              ids: z.array(id).describe('The first 100'),
              step: z.string().describe('What ends it, and who can do that'),
            }),
          )
          .describe('What prevents the erasure, with the step that ends it'),
      })
      .describe('What an erasure would do now'),
  })
  .meta({ id: 'AccountErasure' });

export interface ErasureView {
  erasure: Readonly<AccountErasure> | null;
  counts: ErasureCounts;
  blockedBy: readonly Blocked[];
  agreementsUntil: Date | null;
}

export function presentErasure({
  erasure,
  counts: { erased, kept },
  blockedBy,
  agreementsUntil,
}: ErasureView): z.input<typeof erasureResponse> {
  const { status, endsAt, requestedAt, erasedAt } = erasure ?? { status: 'withdrawn' };
  const isOpen = status === 'waiting' || status === 'erased';
  return {
    status: isOpen ? 'waiting' : status === 'done' ? 'done' : 'none',
    due_at: status === 'waiting' && endsAt ? formatDateTime(endsAt) : null,
    requested_at: status === 'withdrawn' || !requestedAt ? null : formatDateTime(requestedAt),
    erased_at: erasedAt ? formatDateTime(erasedAt) : null,
    preview: {
      erased,
      kept: kept.map((record) => ({ ...record, until: record.why === 'agreements' ? formatDateTime(agreementsUntil) : null })),
      blocked_by: blockedBy.map(({ code, kind, ids, step }) => ({ code, kind, ids, step })),
    },
  };
}
