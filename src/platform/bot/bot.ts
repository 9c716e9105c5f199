/** A command in a chat's menu: 1-32 characters `[a-z0-9_]`, description of 1-256 characters. */
export interface BotMenuCommand {
  command: string;
  description: string;
}

/** The bot of the messaging platform. Each chat is between the bot and one person. */
export interface Bot {
  /** Its name on the platform, without `@`. */
  readonly username: string;
  /**
   * Sends plain text without markup and link previews.
   * @throws {BotBlockedError} when the person blocked the bot or deleted the chat
   * @throws {BotRefusedError} when the platform permanently refuses this message
   * @throws {BotUnavailableError} when the platform is unavailable, refuses the bot, or limits its rate
   */
  sendMessage(chatId: number, text: string): Promise<void>;
  /**
   * Sets the menu commands of all chats in a language; null: of all other languages.
   * @throws {BotUnavailableError}
   */
  setCommands(language: string | null, commands: readonly BotMenuCommand[]): Promise<void>;
  /**
   * Sets the address for updates of these kinds; the platform sends the secret in a header. Idempotent.
   * @throws {BotUnavailableError}
   */
  setWebhook(webhook: { url: string; secret: string; updates: readonly string[] }): Promise<void>;
}

/** The platform gave no answer or refused. The message has no token, chat or text. */
export class BotUnavailableError extends Error {
  /** Pause that the platform requires, milliseconds; null for none. */
  readonly retryAfterMs: number | null;
  constructor(message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'BotUnavailableError';
    this.retryAfterMs = retryAfterMs;
  }
}

/** The platform refuses only this message. The error does not quote it. */
export class BotRefusedError extends Error {
  /** Status of the platform's answer, such as 400. */
  readonly code: number;
  constructor(code: number) {
    super(`the bot platform refuses the message: ${code}`);
    this.name = 'BotRefusedError';
    this.code = code;
  }
}

/** The chat accepts no messages until the person returns. */
export class BotBlockedError extends Error {
  constructor() {
    super('the person blocked the bot or deleted the chat');
    this.name = 'BotBlockedError';
  }
}
