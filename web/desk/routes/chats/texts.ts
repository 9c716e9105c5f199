import { defineTexts } from '../../shared/texts.ts';

export const chatsTexts = defineTexts({
  empty: ['Никто ещё не писал федерации.', 'Федерацияға ешкім жазған жоқ.', 'There is no chat with the federation yet.'],
  unread: (count: string) => [`Непрочитанных: ${count}`, `Оқылмаған: ${count}`, `Unread: ${count}`],
  choose: ['Выберите переписку слева.', 'Сол жақтан хат алмасуды таңдаңыз.', 'Choose a chat on the left.'],
  back: ['К списку', 'Тізімге', 'To the list'],
  none: ['Сообщений ещё нет. Напишите первое.', 'Хабарлама жоқ. Біріншісін жазыңыз.', 'No messages yet. Write the first one.'],
  earlier: ['Показать более ранние', 'Бұрынғыларын көрсету', 'Show earlier ones'],
  messages: ['Сообщения', 'Хабарламалар', 'Messages'],
  answer: ['Ответ', 'Жауап', 'Answer'],
  hint: ['Shift+Enter начинает новую строку.', 'Shift+Enter жаңа жол бастайды.', 'Shift+Enter begins a new line.'],
  send: ['Отправить', 'Жіберу', 'Send'],
  seen: ['прочитано', 'оқылды', 'read'],
});
