/**
 * BASELINE OF 2026-11-21. FROZEN: NEVER TO BE CHANGED, whatever becomes of the registry's own workflows.
 *
 * What it measures: the cost of the registry's processes as they were on that day, when each step was a regular activity that the server
 * hands to the worker together with the turn ("eager"). The workflows below are those of that day, taken over as they were; their
 * activities do nothing (`../baseline-activities.ts`), there is no HTTP, no SQL, no bank and no PDF. The bars of `npm run bench` are ratios
 * against it, taken in the same run on the same machine. A changed baseline would make figures of different days incomparable.
 *
 * What is not of that day: the SDK, the server and Node, which are those that the registry runs with. Left out: the workflows that no
 * benchmark asks for (sweeper, profile review, one-time secrets).
 */
export { applicationLifecycle } from './application-lifecycle.ts';
export { documentReview } from './document-review.ts';
export { invoiceReconciliation } from './invoice-reconciliation.ts';
