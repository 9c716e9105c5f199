import { defineUpdate } from '@temporalio/workflow';
import type { ProcessCommand } from './process.contract.ts';

/** A document from its upload to its expiry; workflow id `document/{id}`. */

export interface ReviewArgs {
  decision: 'approve' | 'changes' | 'cancel';
}

export interface CorrectArgs {
  /** `updated_at` of the document as the administrator read it, an ISO 8601 instant; corrections are private input. */
  updatedAt: string;
}

export const reviewDocumentUpdate = defineUpdate<void, [ProcessCommand<ReviewArgs>]>('review');
export const correctDocumentUpdate = defineUpdate<void, [ProcessCommand<CorrectArgs>]>('correct');
