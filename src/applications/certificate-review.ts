import { assessReadiness, isReady } from './readiness.ts';
import type { ReadinessRule } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import { usualValidity } from './approve-application.ts';
import { nextStatus } from './states.ts';

/** What an administrator sees before deciding on an application (service.md "GET /admin/records/application/{id}"). */
export interface CertificateReview {
  conditions: ReadinessRule[];
  can_approve: boolean;
  available_actions: ('approve' | 'changes' | 'cancel')[];
  revision: number;
  /** The days the certificate would get when none are given. */
  valid_from: string;
  valid_until: string;
}

/** The same conditions as `GET /applications/{id}/readiness` gives (decisions.md §4 "Readiness"). */
export function reviewOf(record: ApplicationRecord, now: Date): CertificateReview {
  const conditions = assessReadiness(factsOf(record, now));
  const canApprove = record.status === 'submitted' && isReady(conditions);
  const validity = record.certificate ?? usualValidity(record, now);
  return {
    conditions,
    can_approve: canApprove,
    available_actions: [
      ...(canApprove ? ['approve' as const] : []),
      ...(nextStatus(record.status, 'return') === null ? [] : ['changes' as const]),
      ...(nextStatus(record.status, 'annul') === null ? [] : ['cancel' as const]),
    ],
    revision: record.revision,
    valid_from: validity.validFrom,
    valid_until: validity.validUntil,
  };
}
