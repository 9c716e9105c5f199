// Baseline of 2026-11-21, frozen: see index.ts.
import { defineUpdate } from '@temporalio/workflow';
import type { ProcessCommand } from './process.contract.ts';

/** A document from its upload to its expiry; workflow id `document/{id}`. */
export interface DocumentReviewInput {
  documentId: number;
}

export interface ReviewArgs {
  decision: 'approve' | 'changes' | 'cancel';
  privateInputId: string | null;
}

export const reviewDocumentUpdate = defineUpdate<void, [ProcessCommand<ReviewArgs>]>('review');
