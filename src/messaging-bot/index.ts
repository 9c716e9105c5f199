export { messagingBotArea } from './area.ts';
