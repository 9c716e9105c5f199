import { reviewApplicationUpdate } from '../../workflows/application-lifecycle.contract.ts';
import { reviewDocumentUpdate } from '../../workflows/document-review.contract.ts';
import { reviewProfileUpdate } from '../../workflows/profile-review.contract.ts';
import type { Platform } from '../platform/platform.ts';
import { keepPrivateInput } from '../platform/private-inputs.ts';
import { processRef } from '../platform/process-ref.ts';
import type { CommandOptions } from '../platform/workflows/processes.ts';
import type { Review } from './review-schemas.ts';

/**
 * Sends a decision to the process of its record and returns when it is in effect. The note stays in the database: only its
 * id travels through the engine.
 * @throws {DomainError} the decision's own refusal; workflow_unavailable
 */
export async function sendReview(platform: Platform, review: Review, options: CommandOptions): Promise<void> {
  const { id, decision, note } = review;
  const privateInputId = note === null || note === undefined ? null : await keepPrivateInput(platform, { note });
  const { processes } = platform;
  switch (review.kind) {
    case 'profile':
    case 'photo':
      return processes.command(processRef('profile', id), reviewProfileUpdate, { part: review.kind, decision, privateInputId }, options);
    case 'document':
      return processes.command(processRef('document', id), reviewDocumentUpdate, { decision, privateInputId }, options);
    case 'application': {
      const dates =
        review.decision === 'approve'
          ? { validFrom: review.valid_from ?? null, validUntil: review.valid_until ?? null }
          : { validFrom: null, validUntil: null };
      const args = { decision, revision: review.revision, ...dates, privateInputId };
      return processes.command(processRef('application', id), reviewApplicationUpdate, args, options);
    }
  }
}
