import { defineNotifications, type Facts, words } from '../notifications/index.ts';

/** Notifications about a bot link that the account did not end itself (BOT-5). `cause`: `blocked`, `other_account` or `password`. */
export const botNotifications = defineNotifications({
  'bot.disconnected': {
    en: (facts) => words('Messaging bot disconnected', causes.en[causeOf(facts)], 'Connect the bot again to get messages.'),
    ru: (facts) => words('Бот отключён', causes.ru[causeOf(facts)], 'Чтобы получать сообщения, подключите бота снова.'),
    kk: (facts) => words('Бот ажыратылды', causes.kk[causeOf(facts)], 'Хабарламалар алу үшін ботты қайта қосыңыз.'),
  },
});

const causes = {
  en: {
    blocked: 'The messaging bot was blocked in its chat, so no more messages are sent to it.',
    other_account: 'The chat of the messaging bot was linked with another account, so it gets no more messages of this account.',
    password: 'The password of the account was changed, so the chat of the messaging bot was disconnected too.',
  },
  ru: {
    blocked: 'Бот заблокирован в чате, поэтому сообщения туда больше не приходят.',
    other_account: 'Чат с ботом подключён к другой учётной записи, поэтому сообщения этой учётной записи туда больше не приходят.',
    password: 'Пароль учётной записи изменён, поэтому чат с ботом тоже отключён.',
  },
  kk: {
    blocked: 'Бот чатта бұғатталды, сондықтан хабарламалар оған енді жіберілмейді.',
    other_account: 'Бот чаты басқа есептік жазбаға қосылды, сондықтан бұл есептік жазбаның хабарламалары оған енді жіберілмейді.',
    password: 'Есептік жазбаның құпиясөзі өзгертілді, сондықтан бот чаты да ажыратылды.',
  },
} as const;

function causeOf(facts: Facts): keyof typeof causes.en {
  const cause = facts.text('cause');
  return cause === 'other_account' || cause === 'password' ? cause : 'blocked';
}
