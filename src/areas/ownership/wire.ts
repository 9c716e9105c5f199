import { movedRecords, type MovedCounts } from './entities.ts';
import { z } from 'zod';
import { dateTimeResponse, id, idParam, note, ownerResponse } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { confirmation } from '../accounts/index.ts';
import { type Conflict, conflictCodes, type TransferView } from './queries.ts';

export const previewQuery = z.strictObject({ target_user_id: idParam });

export const transferBody = z.strictObject({
  current_user_id: id.describe('The current owner as you read it; refused if it has changed'),
  target_user_id: id.describe('The new owner'),
  reason: note.describe('Stored with the transfer; not sent to either owner'),
  ...confirmation,
});

const count = z.int().min(0);
const counts = z
  .object(Object.fromEntries(movedRecords.map((field) => [field, count])) as Record<(typeof movedRecords)[number], typeof count>)
  .meta({ id: 'MovedCounts', description: 'Number of records by kind; files that are copied count too' });

/** What a transfer does not move (OWN-2). */
export const staying = [
  'wallet',
  'invoices',
  'ledger_entries',
  'paid_sums',
  'issued_snapshots',
  'loose_files',
  'notifications',
  'federation_chat',
  'history',
  'audit',
] as const;

export const previewResponse = z
  .object({
    counts,
    stays: z.array(z.enum(staying)).describe('Parts that do not change'),
    conflicts: z.array(z.object({ code: z.enum(conflictCodes) })).describe('Reasons to refuse the transfer now; empty if there are none'),
  })
  .meta({ id: 'OwnershipPreview' });

export const transferResponse = z
  .object({
    profile_id: id,
    owner: ownerResponse,
    previous_owner: ownerResponse.describe('The account that owned it'),
    moved: counts,
    transferred_at: dateTimeResponse,
  })
  .meta({ id: 'OwnershipTransfer' });

export function presentPreview(counts: MovedCounts, conflicts: readonly Conflict[]): z.input<typeof previewResponse> {
  return { counts, stays: [...staying], conflicts: conflicts.map(({ code }) => ({ code })) };
}

export function presentTransfer({ profileId, from, to, moved, at }: TransferView): z.input<typeof transferResponse> {
  return { profile_id: profileId, owner: to, previous_owner: from, moved, transferred_at: formatDateTime(at) };
}
