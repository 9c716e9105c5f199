/** Every kind of notification; published in the OpenAPI document (decisions.md §8). `<subject>.<what happened>`. */
export const notificationTypes = [
  'profile.approved',
  'profile.changes',
  'profile.cancelled',
  'photo.approved',
  'photo.changes',
  'photo.cancelled',
  'document.approved',
  'document.changes',
  'document.cancelled',
  'document.expired',
  'application.approved',
  'application.changes',
  'application.cancelled',
  'application.closed',
  'application.refunded',
  'invoice.paid',
  'invoice.paid_late',
  'invoice.failed',
  'invoice.expired',
  'invoice.mismatch',
] as const;
export type NotificationType = (typeof notificationTypes)[number];
