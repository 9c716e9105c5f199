/** Records whose changes only administrators read. */
export const administratorsOnly: ReadonlySet<string> = new Set([
  'contact_message',
  'incident',
  'service',
  'base_index',
  'contract_template',
  'federation_signing',
  'national',
  'national_list',
]);
/** Records whose id is the account's. */
export const ofAccount: ReadonlySet<string> = new Set(['account', 'user', 'notification_preferences', 'messaging_bot', 'chat']);
/** Records that stay with the account that made them. */
export const ofMaker: ReadonlySet<string> = new Set(['invoice', 'webhook', 'ledger']);
const ofProfile = ['profile', 'photo', 'document', 'application', 'event', 'additional_document', 'contract', 'registration', 'messenger'];

/** All records whose changes are published. */
export const publishedRecords: ReadonlySet<string> = new Set([...administratorsOnly, ...ofAccount, ...ofMaker, ...ofProfile, 'file']);

/** Facts that no program follows: sign-ins and credentials, reads and marks of them, interventions (CHG-1). */
const unpublished =
  /^(?:session|second_factor|password_reset|email_confirmation|api_key|impersonation|administrator|process)\.|\.(?:read|marked_read|seen|downloaded)$|^(?:account\.password_changed|webhook\.(?:secret_replaced|tested|replayed)|notification\.refused|(?:registrations|participants|athletes|audit)\.exported)$/;

export function isPublished(action: string): boolean {
  return !unpublished.test(action);
}
