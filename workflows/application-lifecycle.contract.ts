import { defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An application from its draft to the end of its year; workflow id `application/{id}` (design.md "Processes"). */

export interface ReviewApplicationArgs {
  decision: 'approve' | 'changes' | 'cancel';
  /** The one that was looked at; null: as it stands, where many are decided on at once. */
  revision: number | null;
  validFrom: string | null;
  validUntil: string | null;
}

export const submitApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('submit');
export const payApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('pay');
export const reviewApplicationUpdate = defineUpdate<void, [ProcessCommand<ReviewApplicationArgs>]>('review');
export const cancelApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('cancel');
/** Waits until the certificate's PDF lies in storage; makes it when nobody has yet. */
export const certificateUpdate = defineUpdate<void, [{ requestId: string }]>('certificate');
