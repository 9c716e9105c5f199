import type { z } from 'zod';
import { presentApplication, reviewOf } from '../applications/index.ts';
import type { ApplicationRecord } from '../applications/index.ts';
import { presentDocument } from '../documents/index.ts';
import { formatDateTime } from '../platform/date-time.ts';
import { presentProfile } from '../profiles/index.ts';
import type { applicationRecordShape } from './application-record-schema.ts';
import type { RecordsBehind } from './find-application-record.ts';
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

/** An application with the records behind it, all but its process. @param siteUrl the public address, for the verification link */
export function presentApplicationRecord(
  record: ApplicationRecord,
  { owner, profile, documents, history }: RecordsBehind,
  now: Date,
  siteUrl: string,
): Omit<z.input<typeof applicationRecordShape>, 'process'> {
  const { process: _process, ...application } = presentApplication(record, now, siteUrl);
  return {
    ...application,
    owner,
    profile: { ...presentProfile(profile), duplicate_iin: profile.duplicateIin },
    documents: documents.map(presentDocument),
    certificate_review: reviewOf(record, now),
    history: history.map((decision) => ({ ...decision, at: formatDateTime(new Date(decision.at)) })),
  };
}
