import { defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An application from its draft to the end of its year; workflow id `application/{id}`. */

export interface ReviewApplicationArgs {
  decision: 'approve' | 'changes' | 'cancel';
  /** The revision that the administrator saw; null: the current one, for decisions on many at once. */
  revision: number | null;
  validFrom: string | null;
  validUntil: string | null;
}

export const submitApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('submit');
export const payApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('pay');
export const reviewApplicationUpdate = defineUpdate<void, [ProcessCommand<ReviewApplicationArgs>]>('review');
export const cancelApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('cancel');
/** Waits until the certificate's PDF is in storage; generates it if missing. */
export const certificateUpdate = defineUpdate<void, [{ requestId: string }]>('certificate');
