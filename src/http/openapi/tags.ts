/** Groups of routes in the OpenAPI document, in its order. A group without routes is left out. */
export const tags = {
  'Session, captcha, public': 'Without an account: the browser session, the captcha, messages to the federation, public verification.',
  Accounts: 'Registration, sign-in, passwords.',
  'Own data': 'All data of an account as an archive.',
  'API keys': 'Keys for programs that act for an account, with scopes and an expiry date.',
  Catalog: 'Services of the federation, their required documents and prices.',
  'Profiles and documents': 'Data of a person or an organization, and documents that prove it. Administrators review both.',
  Files: 'Photos and scans, uploaded first and then used by profiles and documents.',
  Applications: 'Applications for a certificate or a licence, from the draft to the certificate with its QR code.',
  'Applications and money': 'The wallet, invoices and payments by the bank.',
  Competitions: 'Competitions, their stages and documents, and registration for them.',
  Agreements: 'Agreements between organizers and the federation.',
  'Notifications, messenger, chat': 'Notifications, and messages between people.',
  Changes: 'The log of changes, for programs that follow the registry.',
  Webhooks: 'Changes sent to the programs of an account.',
  'Messaging bot': 'The messaging bot: link with an account and settings.',
  'National certificate lists': 'Lists of valid certificates, for the federation and as exports.',
  Administration: 'Work of administrators: the queue, reviews, records, the audit.',
  Sandbox: 'The movable clock; exists only in a sandbox.',
  Reference: 'The description of this API.',
  Health: 'Liveness, readiness and metrics for the operator.',
} as const satisfies Record<string, string>;

/** Name of a group. Add new ones to the list above, with a description. */
export type TagName = keyof typeof tags;

/** Returns the used groups with their descriptions, in the order of the list. */
export function describeTags(used: readonly TagName[]): { name: string; description: string }[] {
  const names = new Set<string>(used);
  return Object.entries(tags)
    .filter(([name]) => names.has(name))
    .map(([name, description]) => ({ name, description }));
}
