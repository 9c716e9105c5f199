export { messagesArea } from './area.ts';
