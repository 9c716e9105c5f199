import { usualValidity } from '../approve-application.ts';
import { assessReadiness, isReady, type ReadinessRule } from '../readiness.ts';
import { type ApplicationRecord, factsOf } from '../record.ts';
import { nextStatus } from '../states.ts';

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
  const { application } = record;
  const conditions = assessReadiness(factsOf(record, now));
  const canApprove = application.status === 'submitted' && isReady(conditions);
  const validity = record.certificate ?? usualValidity(application, now);
  return {
    conditions,
    can_approve: canApprove,
    available_actions: [
      ...(canApprove ? ['approve' as const] : []),
      ...(nextStatus(application, 'return') === null ? [] : ['changes' as const]),
      ...(nextStatus(application, 'annul') === null ? [] : ['cancel' as const]),
    ],
    revision: application.revision,
    valid_from: validity.validFrom,
    valid_until: validity.validUntil,
  };
}
