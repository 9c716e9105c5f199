import { extensions } from '../../src/areas.ts';
import { type NotificationFacts, notificationKinds, type NotificationWords, wordsOf } from '../../src/areas/notifications/index.ts';
import type { Language } from '../../src/http/language.ts';

/** What a notification is, as SQL shows its row. */
export interface ToldRow {
  type: string;
  subject_id: string;
  facts: NotificationFacts;
}

/** The words that a person reads. */
export function wordsOfRow({ type, subject_id: subjectId, facts }: ToldRow, language: Language = 'en'): NotificationWords {
  return wordsOf(extensions.of(notificationKinds), { type, subjectId, facts, title: null, text: null }, language);
}

/** The text of it; the spaces that hold an amount together as usual ones. */
export function textOfRow(row: ToldRow, language: Language = 'en'): string {
  return wordsOfRow(row, language).text.replaceAll('\u00a0', ' ');
}
