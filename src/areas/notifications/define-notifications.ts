import type { Language, LocalizedText } from '../../http/language.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { Facts } from './facts.ts';

export interface NotificationWords {
  /** At most 200 characters. */
  title: string;
  text: string;
}

/** The words of one language: what happened, to which record, what the person can do about it. */
export type NotificationWriter = (facts: Facts, subjectId: string) => NotificationWords;

/** A kind of notification: `<subject>.<what happened>`, and who writes its words. */
export interface NotificationKind {
  type: string;
  writers: Readonly<Record<Language, NotificationWriter>>;
}

/** Every kind, entered by the area that tells it. */
export const notificationKinds = definePoint<Readonly<Record<string, NotificationKind>>>('kinds of notifications');

/** Declares the kinds of an area, by their types; goes into its `notifications.ts`, and from there into its `area.ts`. */
export function defineNotifications<Type extends string>(
  kinds: Readonly<Record<Type, NotificationKind['writers']>>,
): Readonly<Record<Type, NotificationKind>> {
  const declared = Object.entries<NotificationKind['writers']>(kinds).map(([type, writers]) => [type, { type, writers }]);
  // The keys are those of what was given.
  return Object.fromEntries(declared) as Record<Type, NotificationKind>;
}

/** Words of sentences, of which those without their fact are left out. What a person has written comes last: it may end as it likes. */
export function words(title: string, ...sentences: string[]): NotificationWords {
  return { title, text: sentences.filter((sentence) => sentence !== '').join(' ') };
}

/** A phrase around a fact, or nothing where there is no fact. A full stop after one that brings its own (`31 декабря 2026 г.`) is not doubled. */
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
