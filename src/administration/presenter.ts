import type { z } from 'zod';
import type { ListedEvent } from '../audit/index.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { QueueItem } from './list-queue.ts';
import { queueFlags } from './schemas.ts';
import type { auditResponse, queueResponse } from './schemas.ts';

export function presentQueueItem(item: QueueItem): z.input<ReturnType<typeof queueResponse>>[number] {
  return {
    ...item,
    waiting_since: formatDateTime(new Date(item.waiting_since)),
    flags: queueFlags.filter((flag) => item.flags.includes(flag)),
  };
}

export function presentAuditEvent(event: Readonly<ListedEvent>): z.input<typeof auditResponse>[number] {
  return {
    id: event.id,
    category: event.category,
    action: event.action,
    actor_id: event.actorId,
    impersonated_user_id: event.impersonatedUserId,
    subject: { kind: event.subjectKind, id: event.subjectId },
    ip: event.ip,
    request_id: event.requestId,
    at: formatDateTime(event.at),
    data: event.data,
  };
}
