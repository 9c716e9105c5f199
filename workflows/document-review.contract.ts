import { defineUpdate } from '@temporalio/workflow';
import type { ProcessCommand } from './process.contract.ts';

/** A document from its upload to its expiry; workflow id `document/{id}`. */

export interface ReviewArgs {
  decision: 'approve' | 'changes' | 'cancel';
}

export const reviewDocumentUpdate = defineUpdate<void, [ProcessCommand<ReviewArgs>]>('review');
