import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { ListedChat, ListedConversation, OwnChat } from './listing-queries.ts';
import type { MessageView } from './queries.ts';
import type { dialogResponse, listedChatResponse, messageResponse } from './schemas.ts';
import { federationName, nameOf } from './sides.ts';
import type { Reader, SideNames } from './sides.ts';

export function presentMessage(message: MessageView, names: SideNames, reader: Reader): z.input<typeof messageResponse> {
  const { id, side, text, createdAt, readAt } = message;
  return {
    id,
    message: text,
    author: { side, name: nameOf(message, names, reader) },
    mine: side === reader.side,
    created_at: formatDateTime(createdAt),
    read_at: readAt === null ? null : formatDateTime(readAt),
  };
}

export function presentDialog(dialog: ListedConversation, language: Reader['language']): z.input<typeof dialogResponse> {
  const { perspective, registrationId, eventTitle, athleteName, unread, lastMessage } = dialog;
  const title = `${eventTitle}, ${dialog.class}`;
  return {
    kind: 'registration',
    perspective,
    registration_id: registrationId,
    title: perspective === 'organizer' ? `${athleteName}: ${title}` : title,
    unread,
    last_message: lastMessage === null ? null : presentMessage(lastMessage, dialog, { side: perspective, language }),
  };
}

/** The way to the federation, which is there before anything was written. @param holder of the account */
export function presentAdministration(
  chat: OwnChat | null,
  { name, language }: { name: string; language: Reader['language'] },
): z.input<typeof dialogResponse> {
  const last = chat?.lastMessage ?? null;
  return {
    kind: 'administration',
    perspective: null,
    registration_id: null,
    title: federationName[language],
    href: '/chat',
    unread: chat?.unread ?? 0,
    last_message: last === null ? null : presentMessage(last, { athleteName: name, organizerName: null }, { side: 'athlete', language }),
  };
}

export function presentListedChat(chat: ListedChat, language: Reader['language']): z.input<typeof listedChatResponse> {
  const { userId, userName, unread, lastMessage } = chat;
  const names = { athleteName: userName, organizerName: null };
  return { user_id: userId, name: userName, unread, last_message: presentMessage(lastMessage, names, { side: 'federation', language }) };
}
