import { defineTexts } from '../../shared/texts.ts';

export const chatsTexts = defineTexts({
  list: ['Переписки', 'Хат алмасулар', 'Chats'],
  empty: [
    'Переписок нет. Они появятся, когда кто-нибудь напишет федерации.',
    'Хат алмасу жоқ. Біреу федерацияға жазғанда пайда болады.',
    'There are no chats. They appear when somebody writes to the federation.',
  ],
  unread: (count: string) => [`Непрочитанных: ${count}`, `Оқылмаған: ${count}`, `Unread: ${count}`],
  choose: ['Выберите переписку слева.', 'Сол жақтан хат алмасуды таңдаңыз.', 'Choose a chat on the left.'],
  back: ['К списку', 'Тізімге', 'To the list'],
  none: [
    'Сообщений ещё нет. Напишите первое.',
    'Әзірге хабарлама жоқ. Біріншісін жазыңыз.',
    'There are no messages yet. Write the first one.',
  ],
  earlier: ['Показать более ранние', 'Бұрынғыларын көрсету', 'Show earlier ones'],
  messages: ['Сообщения', 'Хабарламалар', 'Messages'],
  answer: ['Ответ', 'Жауап', 'Answer'],
  hint: [
    'Enter отправляет, Shift+Enter начинает новую строку.',
    'Enter жібереді, Shift+Enter жаңа жол бастайды.',
    'Enter sends, Shift+Enter begins a new line.',
  ],
  send: ['Отправить', 'Жіберу', 'Send'],
  seen: ['прочитано', 'оқылды', 'read'],
});
