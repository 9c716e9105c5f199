import { baseUrl, type Variables } from '../../../config.ts';
import type { Language } from '../../../http/language.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import type { NotificationWords } from '../define-notifications.ts';

/** Footer of each mail: the registry's address and how to turn these mails off. */
const footers: Record<Language, (facts: { url: string; preferences: string; type: string }) => string> = {
  ru: ({ url, preferences, type }) =>
    `Реестр: ${url}\nЧтобы не получать таких писем, выключите почту для вида «${type}» в настройках уведомлений: ${preferences}`,
  kk: ({ url, preferences, type }) =>
    `Тізілім: ${url}\nМұндай хаттарды алмау үшін хабарландыру баптауларында «${type}» түріне поштаны өшіріңіз: ${preferences}`,
  en: ({ url, preferences, type }) =>
    `The registry: ${url}\nTo get no such mails, turn mail off for "${type}" in the preferences of notifications: ${preferences}`,
};

/** Composes the mail of a notification. `Message-ID` is the same for each attempt, so mail programs show a repeated mail once. */
export function notificationMail(
  config: Variables,
  { id, type, email, language }: { id: number; type: string; email: string; language: Language },
  { title, text }: NotificationWords,
): Mail {
  const url = baseUrl(config);
  const footer = footers[language]({ url, preferences: `${url}/api/v1/notifications/preferences`, type });
  return {
    to: email,
    subject: title,
    text: [...(text === '' ? [] : [text, '']), '-- ', footer].join('\n'),
    messageId: `notification-${id}@${new URL(url).hostname}`,
  };
}
