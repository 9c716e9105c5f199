import type { z } from 'zod';
import { presentApplication, reviewOf } from '../applications/index.ts';
import type { ListedEvent } from '../audit/index.ts';
import { presentDocument } from '../documents/index.ts';
import { formatDateTime } from '../platform/date-time.ts';
import { presentProfile } from '../profiles/index.ts';
import type { applicationRecordResponse } from './application-record-schema.ts';
import type { ApplicationCase, ApplicationDecision } from './find-application-case.ts';
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

/** An application with the records behind it, all but its process. @param siteUrl the public address, for the verification link */
export function presentApplicationCase(
  { record, owner, profile, documents, history }: ApplicationCase,
  now: Date,
  siteUrl: string,
): Omit<z.input<typeof applicationRecordResponse>, 'process'> {
  const { process: _process, ...presented } = presentApplication(record, now, siteUrl);
  return {
    ...presented,
    owner,
    profile: { ...presentProfile(profile), duplicate_iin: profile.duplicateIin },
    documents: documents.map(presentDocument),
    certificate_review: reviewOf(record, now),
    history: history.map(presentDecision),
  };
}

function presentDecision(made: ApplicationDecision): z.input<typeof applicationRecordResponse>['history'][number] {
  return {
    decision: made.decision,
    note: made.note,
    from_status: made.fromStatus,
    to_status: made.toStatus,
    actor_id: made.actorId,
    at: formatDateTime(made.at),
  };
}
