import type { Notification } from './notifications.ts';
import type { Inquiry } from '../inquiry.ts';

const kazakhLetters = /[әғқңөұүһі]/i;
const cyrillic = /[а-яё]/i;

/** The language of a title or of a message of the bot, which hold no names. */
export function languageOf(title: string): 'ru' | 'kk' | 'en' {
  if (kazakhLetters.test(title)) return 'kk';
  return cyrillic.test(title) ? 'ru' : 'en';
}

/** A notification is in the account's language, and in words (NOT-2). */
export function askText({ model, same }: Inquiry, accountId: number, { type, title, text }: Notification): void {
  const language = model.accounts.get(accountId)?.language?.name ?? 'ru';
  same(`the notification ${type} of account ${accountId} is in its language: ${title} (NOT-2)`, language, languageOf(title));
  const isInWords = title !== type && text.length > 0 && !/undefined|null|NaN|\{\w*\}|\[object/.test(`${title} ${text}`);
  same(`the notification ${type} is in words: ${title}: ${text} (NOT-2)`, true, isInWords);
}
