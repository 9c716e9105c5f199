import { defineNotifications, words } from '../notifications/index.ts';

/** What people are told of messages (decisions.md §8); never what stands in them. */
export const messageNotifications = defineNotifications({
  'chat.reply': {
    en: () => words('Answer of the federation', 'There is a new message of the federation in your chat.'),
    ru: () => words('Ответ федерации', 'В Вашем чате новое сообщение федерации.'),
    kk: () => words('Федерацияның жауабы', 'Сіздің чатыңызда федерацияның жаңа хабарламасы бар.'),
  },
});
