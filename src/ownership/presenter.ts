import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { Conflict } from './conflicts.ts';
import type { MovedCounts } from './count-moved.ts';
import type { TransferView } from './queries.ts';
import { staying } from './schemas.ts';
import type { previewResponse, transferResponse } from './schemas.ts';

export function presentPreview(counts: MovedCounts, conflicts: readonly Conflict[]): z.input<typeof previewResponse> {
  return { counts, stays: [...staying], conflicts: conflicts.map(({ code }) => ({ code })) };
}

export function presentTransfer({ profileId, from, to, moved, at }: TransferView): z.input<typeof transferResponse> {
  return { profile_id: profileId, owner: to, previous_owner: from, moved, transferred_at: formatDateTime(at) };
}
