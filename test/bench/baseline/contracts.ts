// Baseline of 2026-11-21, frozen: see workflows.ts. Definitions only: the client, the worker and the workflows import this file.
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';

export const taskQueues = ['registry', 'documents', 'bank'] as const;
export type TaskQueue = (typeof taskQueues)[number];

/** Command of a process. A repeated `commandId` has no second effect; `args` hold ids and small facts, no private data. */
export interface ProcessCommand<Args> {
  commandId: string;
  caller: { actor: { kind: 'process' }; requestId: string; ip: string | null };
  args: Args;
}
export type NoArgs = Record<string, never>;

/** State of a process after a step. An activity computes it from the record; the Temporal UI shows it. */
export interface ProcessView {
  /** Status of the record in one word. */
  stage: string;
  waitingFor: 'owner' | 'administrator' | 'bank' | 'date' | 'none';
  /** One or two sentences for support; no private data. */
  details: string;
  /** The workflow may complete. A later event of the record starts it again. */
  isOver: boolean;
  /** Milliseconds until the process must check its record again; null when only a message can move it. */
  wakeAfterMs: number | null;
}

/** Checks the record and takes the steps that are due. The sweeper sends it. */
export const reconsiderUpdate = defineUpdate<void, [{ requestId: string }]>('reconsider');
/** A fact that this process depends on has changed. */
export const factsChangedSignal = defineSignal('facts-changed');
/** Failure type of a message that is refused while the process begins a new run; the sender repeats it. */
export const beginsNewRun = 'begins_new_run';

export const searchAttributes = {
  applicationId: defineSearchAttributeKey('ApplicationId', SearchAttributeType.KEYWORD),
  requestId: defineSearchAttributeKey('RequestId', SearchAttributeType.KEYWORD),
  stage: defineSearchAttributeKey('Stage', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
};

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

export const submitApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('submit');
export const payApplicationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('pay');
export const reviewApplicationUpdate = defineUpdate<void, [ProcessCommand<ReviewApplicationArgs>]>('review');
export const cancelApplicationUpdate = defineUpdate<void, [ProcessCommand<{ privateInputId: string }>]>('cancel');
/** Waits until the certificate's PDF is in storage; makes it when it is missing. */
export const certificateUpdate = defineUpdate<void, [{ requestId: string }]>('certificate');

/** A document from its upload to its expiry; workflow id `document/{id}`. */
export interface DocumentReviewInput {
  documentId: number;
}

export interface ReviewArgs {
  decision: 'approve' | 'changes' | 'cancel';
  privateInputId: string | null;
}

export const reviewDocumentUpdate = defineUpdate<void, [ProcessCommand<ReviewArgs>]>('review');

/** An invoice from its creation to the bank's final status; workflow id `invoice/{id}`. */
export interface InvoiceReconciliationInput {
  invoiceId: number;
}

export const checkoutInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('checkout');
/** Queries the bank and answers when the status is recorded. */
export const verifyInvoiceUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('verify');
/** An unverified callback of the bank: query the bank. */
export const bankHintSignal = defineSignal('bank-hint');

/** Steps of the workflows. */
export interface BaselineActivities {
  reconsiderApplication(id: number): Promise<ProcessView>;
  submitApplication(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
  payApplication(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
  reviewApplication(id: number, command: ProcessCommand<ReviewApplicationArgs>): Promise<ProcessView>;
  cancelApplication(id: number, command: ProcessCommand<{ privateInputId: string }>): Promise<ProcessView>;
  makeCertificate(id: number): Promise<void>;
  reconsiderDocument(id: number): Promise<ProcessView>;
  reviewDocument(id: number, command: ProcessCommand<ReviewArgs>): Promise<ProcessView>;
  reconcileInvoice(id: number, how: { askNow: boolean }): Promise<ProcessView>;
  checkoutInvoice(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
  verifyInvoice(id: number, command: ProcessCommand<NoArgs>): Promise<ProcessView>;
}
