import type { Area } from '../http/define-area.ts';

/** The messenger of registrations, and the chat of each account with the federation. */
export const messagesArea: Area = { processes: [], extensions: [], routes: () => [] };
