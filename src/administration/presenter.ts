import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { AuditRow } from './list-audit-events.ts';
import type { QueueItem } from './list-queue.ts';
import type { auditShape, queueShape } from './schemas.ts';

export function presentQueueItem(item: QueueItem): z.input<typeof queueShape>[number] {
  return { ...item, waiting_since: formatDateTime(new Date(item.waiting_since)) };
}

export function presentAuditEvent(row: AuditRow): z.input<typeof auditShape>[number] {
  const { subject_kind: kind, subject_id: id, at, ...rest } = row;
  return { ...rest, subject: { kind, id }, at: formatDateTime(new Date(at)) };
}
