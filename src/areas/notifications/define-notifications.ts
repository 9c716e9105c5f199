import type { Language, LocalizedText } from '../../http/language.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { Notification } from './entities.ts';
import { Facts } from './facts.ts';

export interface NotificationWords {
  /** At most 200 characters. */
  title: string;
  text: string;
}

/** Writes a notification in one language: what happened, to which record, and what the person can do next. */
type NotificationWriter = (facts: Facts, subjectId: string) => NotificationWords;

/** A kind of notification: its type (`<subject>.<event>`) and one writer for each language. */
export interface NotificationKind {
  type: string;
  writers: Readonly<Record<Language, NotificationWriter>>;
}

/** All kinds of notifications; each area registers its own. */
export const notificationKinds = definePoint<Readonly<Record<string, NotificationKind>>>('kinds of notifications');

/** Declares the kinds of an area by type; the area registers them at `notificationKinds`. */
export function defineNotifications<Type extends string>(
  kinds: Readonly<Record<Type, NotificationKind['writers']>>,
): Readonly<Record<Type, NotificationKind>> {
  const declared = Object.entries<NotificationKind['writers']>(kinds).map(([type, writers]) => [type, { type, writers }]);
  // The keys are those of `kinds`.
  return Object.fromEntries(declared) as Record<Type, NotificationKind>;
}

/** Names a kind in words: its title without any fact (NOT-10). */
export function titleOf({ writers }: NotificationKind, language: Language): string {
  return writers[language](new Facts(language, {}), '').title;
}

/** Joins sentences and leaves out the empty ones. Pass text that a person wrote last, because it may lack a full stop. */
export function words(title: string, ...sentences: string[]): NotificationWords {
  return { title, text: sentences.filter((sentence) => sentence !== '').join(' ') };
}

/** Puts a phrase around a fact; empty without the fact. Does not double the full stop of a fact such as `31 декабря 2026 г.`. */
export function after(before: string, fact: string | undefined, end = ''): string {
  if (fact === undefined) return '';
  return `${before}${fact}${fact.endsWith('.') && end.startsWith('.') ? end.slice(1) : end}`;
}

const noteOfFederation: LocalizedText = { ru: 'Примечание федерации', kk: 'Федерацияның ескертпесі', en: 'Note of the federation' };
const reason: LocalizedText = { ru: 'Причина', kk: 'Себебі', en: 'Reason' };

export function noteOf(facts: Facts): string {
  return after(`${noteOfFederation[facts.language]}: `, facts.text('note'));
}

export function reasonOf(facts: Facts): string {
  return after(`${reason[facts.language]}: `, facts.text('reason'));
}

/**
 * Writes a notification in a language (NOT-2). One of an unknown type has its type as title.
 * @param kinds all that areas entered (`notificationKinds`)
 */
export function wordsOf(
  kinds: readonly Readonly<Record<string, NotificationKind>>[],
  { type, facts, subjectId, title, text }: Readonly<Pick<Notification, 'type' | 'facts' | 'subjectId' | 'title' | 'text'>>,
  language: Language,
): NotificationWords {
  if (title !== null && text !== null) return { title, text };
  const kind = kinds.map((entered) => entered[type]).find((found) => found !== undefined);
  return kind?.writers[language](new Facts(language, facts), subjectId) ?? { title: type, text: '' };
}
