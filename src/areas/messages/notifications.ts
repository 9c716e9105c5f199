import { defineNotifications, words } from '../notifications/index.ts';

/** Notifications about messages, without their text (MSG-8). */
export const messageNotifications = defineNotifications({
  'chat.reply': {
    en: () => words('Answer of the federation', 'Your chat has a new message of the federation.'),
    ru: () => words('Ответ федерации', 'В Вашем чате новое сообщение федерации.'),
    kk: () => words('Федерацияның жауабы', 'Сіздің чатыңызда федерацияның жаңа хабарламасы бар.'),
  },
});
