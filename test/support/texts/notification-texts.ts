import { extensions } from '../../../src/registry/areas.ts';
import { type NotificationFacts, notificationKinds, type NotificationWords, wordsOf } from '../../../src/areas/notifications/index.ts';
import type { Language } from '../../../src/http/language.ts';

/** The row of a notification in SQL. */
export interface NotificationRow {
  type: string;
  subject_id: string;
  facts: NotificationFacts;
}

/** The title and text that a person reads. */
function wordsOfRow({ type, subject_id: subjectId, facts }: NotificationRow, language: Language = 'en'): NotificationWords {
  return wordsOf(extensions.of(notificationKinds), { type, subjectId, facts, title: null, text: null }, language);
}

/** The text, with its non-breaking spaces replaced by usual ones. */
export function textOfRow(row: NotificationRow, language: Language = 'en'): string {
  return wordsOfRow(row, language).text.replaceAll('\u00a0', ' ');
}
