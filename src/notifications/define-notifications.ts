import { definePoint } from '../platform/extensions.ts';

/**
 * What a text may tell of; every fact is optional, a sentence without its fact is left out.
 * - `note`: the administrator's words on a decision; `reason`: why something happened by itself
 * - `number`: of a certificate or an invoice; `valid_until`: `YYYY-MM-DD`
 * - `amount_minor`: money in tiyn
 * - `document_id`, `document_type`, `applications` (ids, `12, 15`), `expires_at`: of a document
 * - `record`: kind of a record that was corrected; `fields`: names of what was changed in it, `iin, last_name`
 * - `service`: title of the service applied for; `year`
 */
export type NotificationFacts = Readonly<Record<string, string | number>>;

export interface NotificationWords {
  /** At most 200 characters. */
  title: string;
  text: string;
}

/** A kind of notification: `<subject>.<what happened>`, and its words: what happened, to which record, what the person can do about it. */
export interface NotificationKind {
  type: string;
  write(facts: NotificationFacts, subjectId: string): NotificationWords;
}

/** Every kind, entered by the area that tells it. */
export const notificationKinds = definePoint<Readonly<Record<string, NotificationKind>>>('kinds of notifications');

/** Declares the kinds of an area, by their types; goes into its `notifications.ts`, and from there into its `area.ts`. */
export function defineNotifications<Type extends string>(
  writers: Readonly<Record<Type, NotificationKind['write']>>,
): Readonly<Record<Type, NotificationKind>> {
  // The keys are those of what was given.
  return Object.fromEntries(Object.entries(writers).map(([type, write]) => [type, { type, write }])) as Record<Type, NotificationKind>;
}

/** Words of sentences, of which those without their fact are left out. */
export function words(title: string, ...sentences: string[]): NotificationWords {
  return { title, text: sentences.filter((sentence) => sentence !== '').join(' ') };
}

/** A phrase around a fact, or nothing where there is no fact. */
export function after(before: string, fact: string | number | undefined, end = ''): string {
  return fact === undefined || fact === '' ? '' : `${before}${fact}${end}`;
}

export function noteOf(facts: NotificationFacts): string {
  return after('Note of the federation: ', facts['note']);
}

export function reasonOf(facts: NotificationFacts): string {
  return after('Reason: ', facts['reason']);
}

/** Money of `amount_minor`, in tenge. */
export function moneyOf(facts: NotificationFacts): string | undefined {
  const minor = facts['amount_minor'];
  return minor === undefined ? undefined : `${(Number(minor) / 100).toFixed(2)} KZT`;
}
