import { z } from 'zod';
import type { Language } from '../../../http/language.ts';
import { dateTimeResponse, id, listMeta, optionalFlag, paging, subjectResponse } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { type NotificationKind, wordsOf } from '../define-notifications.ts';
import type { Notification } from '../entities.ts';

export const notificationResponse = z
  .object({
    id,
    type: z.string().meta({ description: 'Type of the notification: `<subject>.<event>`', examples: ['document.approved'] }),
    title: z.string().describe("Title in the account's language"),
    text: z.string().describe("Text in the account's language"),
    subject: subjectResponse.meta({ description: 'The record of the notification', examples: [{ kind: 'document', id: '12' }] }),
    created_at: dateTimeResponse,
    read_at: dateTimeResponse.nullable(),
  })
  .meta({ id: 'Notification' });

export const notificationsQuery = z.strictObject({
  unread: optionalFlag('`true`: only unread notifications; `false`: only read ones'),
  ...paging,
});

export const notificationsMeta = listMeta.extend({
  unread: z.int().min(0).describe('Number of unread notifications of the account, without the filter'),
});

export const unreadResponse = z
  .object({ unread: z.int().min(0).describe('Number of unread notifications') })
  .meta({ id: 'UnreadNotifications' });

export const readUpToBody = z.strictObject({
  up_to_id: id.describe('Id of the newest notification that the user has seen'),
});

/** What determines the text of notifications. */
export interface Wording {
  /** All that areas entered (`notificationKinds`). */
  kinds: readonly Readonly<Record<string, NotificationKind>>[];
  /** The account's language at the time of reading. */
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
