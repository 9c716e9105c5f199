import { defineNotifications, words } from '../notifications/index.ts';

/**
 * What the holder of an account is told of its chat with the bot, where he has not ended the link himself (decisions.md §8). `cause`: `blocked` or
 * `other_account`.
 */
export const botNotifications = defineNotifications({
  'bot.disconnected': {
    en: (facts) =>
      words(
        'Messaging bot disconnected',
        facts.text('cause') === 'other_account'
          ? 'The chat of the messaging bot was linked with another account, so nothing of this account is sent to it any more.'
          : 'The messaging bot was blocked in its chat, so nothing is sent there any more.',
        'Connect the bot again to get messages.',
      ),
    ru: (facts) =>
      words(
        'Бот отключён',
        facts.text('cause') === 'other_account'
          ? 'Чат с ботом подключён к другой учётной записи, поэтому сообщения этой учётной записи туда больше не приходят.'
          : 'Бот заблокирован в чате, поэтому сообщения туда больше не приходят.',
        'Чтобы получать сообщения, подключите бота снова.',
      ),
    kk: (facts) =>
      words(
        'Бот ажыратылды',
        facts.text('cause') === 'other_account'
          ? 'Бот чаты басқа есептік жазбаға қосылды, сондықтан бұл есептік жазбаның хабарламалары оған енді жіберілмейді.'
          : 'Бот чатта бұғатталды, сондықтан хабарламалар оған енді жіберілмейді.',
        'Хабарламалар алу үшін ботты қайта қосыңыз.',
      ),
  },
});
