// Baseline of 2026-11-21, frozen: see index.ts.
import { defineUpdate } from '@temporalio/workflow';
import type { ProcessCommand } from './process.contract.ts';

/** An application from its draft to the end of its year; workflow id `application/{id}`. */
export interface ApplicationLifecycleInput {
  applicationId: number;
}

export interface ReviewApplicationArgs {
  decision: 'approve' | 'changes' | 'cancel';
  revision: number;
  validFrom: string | null;
  validUntil: string | null;
  privateInputId: string | null;
}

export const submitApplicationUpdate = defineUpdate<void, [ProcessCommand<Record<string, never>>]>('submit');
export const payApplicationUpdate = defineUpdate<void, [ProcessCommand<Record<string, never>>]>('pay');
export const reviewApplicationUpdate = defineUpdate<void, [ProcessCommand<ReviewApplicationArgs>]>('review');
export const cancelApplicationUpdate = defineUpdate<void, [ProcessCommand<{ privateInputId: string }>]>('cancel');
/** Waits until the certificate's PDF lies in storage; makes it when nobody has yet. */
export const certificateUpdate = defineUpdate<void, [{ requestId: string }]>('certificate');
