export { messagesArea } from './area.ts';
export { streamedMessage } from './schemas.ts';
