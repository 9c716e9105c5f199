import { defineNotifications, words } from '../notifications/index.ts';

/** Notifications about messages, without their text (MSG-8). */
export const messageNotifications = defineNotifications({
  'chat.reply': {
    en: () => words('Answer of the federation', 'There is a new message of the federation in your chat.'),
    ru: () => words('Ответ федерации', 'В Вашем чате новое сообщение федерации.'),
    kk: () => words('Федерацияның жауабы', 'Сіздің чатыңызда федерацияның жаңа хабарламасы бар.'),
  },
});
