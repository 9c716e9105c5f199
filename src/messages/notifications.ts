import { defineNotifications, words } from '../notifications/index.ts';

/** What people are told of messages (decisions.md §8); never what stands in them. */
export const messageNotifications = defineNotifications({
  'chat.reply': () => words('Answer of the federation', 'There is a new message of the federation in your chat.'),
});
