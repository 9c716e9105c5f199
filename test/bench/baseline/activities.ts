// Baseline of 2026-11-21, frozen: see index.ts.
import type { ReviewApplicationArgs } from './application-lifecycle.contract.ts';
import type { ReviewArgs } from './document-review.contract.ts';
import type { ProcessCommand, ProcessView } from './process.contract.ts';

type NoArgs = Record<string, never>;

/** The steps of the workflows of that day, as far as the baseline has them. */
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
