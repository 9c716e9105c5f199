export { adoptOrphans } from './adopt-orphans.ts';
export { applicationLifecycle } from './application-lifecycle.ts';
export { documentReview } from './document-review.ts';
export { invoiceReconciliation } from './invoice-reconciliation.ts';
export { oneTimeSecret } from './one-time-secret.ts';
export { profileReview } from './profile-review.ts';
