import type { Heard } from '../../phones.ts';
import { Timeline } from '../timeline.ts';

/** The link of an account: with a chat, or one that waits to be opened. */
export type BotLink = { kind: 'pending'; token: string; expiresAt: number } | { kind: 'connected'; chatId: number };

/** What a chat was answered: commands, and words about its own link. */
export interface Answers {
  most: number;
  came: number;
}

/** What the auditor knows of the bot. All instants of timelines are of the registry's clock. */
export class BotRecords {
  /** By account; none for an account without a link. A blocked account keeps its own. */
  readonly links = new Map<number, BotLink>();
  /** All links that were made, oldest first: people may open any. */
  readonly issued: { accountId: number; token: string }[] = [];
  /** What accounts have chosen for the bot, by `account type` (NOT-3). */
  readonly chosen = new Map<string, boolean>();
  /** Accounts whose link a message in a chat may have changed since they were last asked. */
  readonly touched = new Set<number>();
  readonly chats = new Timeline<number>(0);
  readonly active = new Timeline<boolean>(true);
  readonly wanted = new Timeline<boolean>(false);
  readonly languages = new Timeline<string>('ru');
  readonly answers = new Map<number, Answers>();
  /** Messages about facts, by the notification that they tell. */
  readonly told = new Map<number, Heard>();
  /** Messages about facts whose notification was not read yet. */
  unexplained: Heard[] = [];
  /** Notifications whose message was asked for, when it must have come. */
  readonly settled = new Set<number>();
  /** Numbers of updates that were taken (BOT-3). */
  readonly updates = new Set<number>();

  accountOf(chatId: number): number | null {
    for (const [accountId, link] of this.links) if (link.kind === 'connected' && link.chatId === chatId) return accountId;
    return null;
  }

  answersOf(chatId: number): Answers {
    const known = this.answers.get(chatId) ?? { most: 0, came: 0 };
    this.answers.set(chatId, known);
    return known;
  }
}
