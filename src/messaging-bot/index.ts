export { messagingBotArea } from './area.ts';
export { clearBotData } from './clear-bot-data.ts';
export { introduceBot } from './introduce-bot.ts';
