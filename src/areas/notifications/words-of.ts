import type { Language } from '../../http/language.ts';
import type { NotificationKind, NotificationWords } from './define-notifications.ts';
import type { Notification } from './entities.ts';
import { Facts } from './facts.ts';

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
