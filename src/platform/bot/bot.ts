/** A command as the platform shows it in a chat's menu: 1-32 characters `[a-z0-9_]`, 1-256 characters of words. */
export interface BotCommandWords {
  command: string;
  description: string;
}

/** The bot of the messaging platform as the service needs it; chats are those between the bot and one person. */
export interface Bot {
  /** Its name on the platform, without `@`. */
  readonly username: string;
  /**
   * Sends plain text without markup and link previews.
   * @throws {BotBlockedError} when the person blocked the bot or the chat is gone
   * @throws {BotRefusedError} when the platform refuses this message for good
   * @throws {BotUnavailableError} when the platform is away, refuses us, or limits the rate
   */
  sendMessage(chatId: number, text: string): Promise<void>;
  /**
   * Puts the commands into the menu of every chat whose person uses the platform in this language; null: in any other.
   * @throws {BotUnavailableError}
   */
  setCommands(language: string | null, commands: readonly BotCommandWords[]): Promise<void>;
  /**
   * Names the address to which the platform sends updates of these kinds, with the secret in a header. The same once more changes nothing.
   * @throws {BotUnavailableError}
   */
  setWebhook(webhook: { url: string; secret: string; updates: readonly string[] }): Promise<void>;
}

/** There is no answer of the platform, or it refuses; the message holds no token, no chat and no text. */
export class BotUnavailableError extends Error {
  /** Pause that the platform demands, milliseconds; null for none. */
  readonly retryAfterMs: number | null;
  constructor(message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'BotUnavailableError';
    this.retryAfterMs = retryAfterMs;
  }
}

/** The platform takes everything but this message; the message of the error holds nothing of it. */
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
    super('the chat cannot be written to: the bot was blocked in it, or it is gone');
    this.name = 'BotBlockedError';
  }
}
