import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { Language } from '../http/language.ts';
import type { NotificationKind } from './define-notifications.ts';
import type { Notification } from './entities.ts';
import type { notificationResponse } from './schemas.ts';
import { wordsOf } from './words-of.ts';

/** In which words notifications are shown. */
export interface Wording {
  /** All that areas entered (`notificationKinds`). */
  kinds: readonly Readonly<Record<string, NotificationKind>>[];
  /** The account's, at the time of reading. */
  language: Language;
}

export function presentNotification(row: Readonly<Notification>, { kinds, language }: Wording): z.input<typeof notificationResponse> {
  const { title, text } = wordsOf(kinds, row, language);
  return {
    id: row.id,
    type: row.type,
    title,
    text,
    subject: { kind: row.subjectKind, id: row.subjectId },
    created_at: formatDateTime(row.createdAt),
    read_at: row.readAt === null ? null : formatDateTime(row.readAt),
  };
}
