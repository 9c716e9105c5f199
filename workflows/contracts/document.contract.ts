import { command, defineContract } from './process.contract.ts';

export interface ReviewArgs {
  decision: 'approve' | 'changes' | 'cancel';
  /** `updated_at` of the record as the administrator read it, an ISO 8601 instant; absent: any version. */
  updatedAt?: string;
}

export interface CorrectArgs {
  /** `updated_at` of the document as the administrator read it, an ISO 8601 instant; corrections are private input. */
  updatedAt: string;
}

/** A document from its upload to its expiry; workflow id `document/{id}`. */
export const documentContract = defineContract({
  kind: 'document',
  workflow: 'documentReview',
  queue: 'documents',
  commands: { review: command<ReviewArgs>(), correct: command<CorrectArgs>() },
});
