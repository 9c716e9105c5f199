/** Groups of routes in the OpenAPI document, in its order. A group without routes is left out. */
export const tags = {
  'Session, captcha, public': 'What needs no account: the browser session, the captcha, messages to the federation, public verification.',
  Accounts: 'Registration, sign-in, passwords.',
  'API keys': 'Keys for programs that act for a person, with chosen scopes and an end date.',
  Catalog: 'Services of the federation, the documents each asks for, and their prices.',
  'Profiles and documents': 'Who a person or an organization is, and the papers that prove it. Both wait for a review.',
  Files: 'Photos and scans, uploaded first and then used by profiles and documents.',
  Applications: 'Applications for a certificate or a licence, from the draft to the certificate with its QR code.',
  'Applications and money': 'The wallet, invoices and the bank that pays them.',
  Competitions: 'Competitions, their stages and documents, and registration for them.',
  Agreements: 'Agreements between organizers and the federation.',
  'Notifications, messenger, chat': 'What people are told and what they write to each other.',
  'Messaging bot': 'The bot of the messenger: linking an account and its settings.',
  'National certificate lists': 'Lists of valid certificates, for the federation and as exports.',
  Administration: 'What administrators decide and look up: the queue, reviews, records, the audit.',
  Sandbox: 'A clock that can be moved. Exists in a sandbox only.',
  Reference: 'The description of this API.',
  Health: 'For the operator: whether the service lives and can work, and its metrics.',
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
