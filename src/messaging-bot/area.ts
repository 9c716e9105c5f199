import type { Area } from '../http/define-area.ts';

/** The bot of the messaging platform: its link with an account, its webhook, its commands. */
export const messagingBotArea: Area = { processes: [], extensions: [], routes: () => [] };
