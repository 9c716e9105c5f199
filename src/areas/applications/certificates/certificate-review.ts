import { usualValidity } from '../approve-application.ts';
import { assessReadiness, factsOf, isReady } from '../readiness.ts';
import { type ApplicationRecord } from '../record.ts';
import { nextStatus } from '../states.ts';

/**
 * Builds the part of an administrator's record that supports the decision on an application, from the same rules as
 * `GET /applications/{id}/readiness` (APP-4). `valid_from` and `valid_until` are the default days of the certificate (APP-8).
 */
export function reviewOf(record: ApplicationRecord, now: Date) {
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
