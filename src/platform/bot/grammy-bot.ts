import { Api, GrammyError, HttpError } from 'grammy';
import { withoutTrailing } from '../text.ts';
import { type Bot, BotBlockedError, BotRefusedError, BotUnavailableError } from './bot.ts';

/** `BOT_TOKEN`, `BOT_API_URL`, `BOT_USERNAME`. */
export interface BotOptions {
  token?: string | undefined;
  /** Address of the platform, unless it is the public one. */
  apiUrl?: string | undefined;
  username?: string | undefined;
  /** Longest duration of one call, the answer's body included. */
  timeoutMs: number;
}

/** Maximum bytes of an answer; real ones have a few hundred. */
const answerLimitBytes = 256 * 1024;

/**
 * Creates the bot over the platform's HTTP interface, with grammy. The token is part of every address: no error of grammy leaves this file,
 * not even as a cause, and redirects are not followed.
 * @returns null without a token
 * @throws {TypeError} for a token without a name
 */
export function createBot({ token, apiUrl, username, timeoutMs }: BotOptions): Bot | null {
  if (token === undefined) return null;
  if (username === undefined) throw new TypeError('a bot needs its name');
  const api = new Api(token, {
    ...(apiUrl === undefined ? {} : { apiRoot: withoutTrailing(apiUrl, '/') }),
    timeoutSeconds: timeoutMs / 1000,
    sensitiveLogs: false,
    baseFetchConfig: { redirect: 'error', size: answerLimitBytes },
  });
  return {
    username,
    sendMessage: (chatId, text) =>
      callPlatform(() => api.sendMessage(chatId, text, { link_preview_options: { is_disabled: true } }), messageError),
    setCommands: (language, commands) =>
      callPlatform(() =>
        api.setMyCommands([...commands], {
          scope: { type: 'all_private_chats' },
          // grammy types only known two-letter codes; the platform accepts any.
          ...(language === null ? {} : { language_code: language as 'ru' }),
        }),
      ),
    setWebhook: ({ url, secret, updates }) =>
      callPlatform(() => api.setWebhook(url, { secret_token: secret, allowed_updates: updates as ['message'] })),
  };
}

/** @param errorOf returns the error of a refusal that concerns only this call; null when it concerns all calls */
async function callPlatform(call: () => Promise<unknown>, errorOf: (refusal: GrammyError) => Error | null = () => null): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (error instanceof GrammyError) {
      const refusal = errorOf(error);
      if (refusal !== null) throw refusal;
      const { retry_after: seconds } = error.parameters;
      throw new BotUnavailableError(
        `the bot platform answered ${error.error_code} to ${error.method}`,
        seconds === undefined ? null : seconds * 1000,
      );
    }
    if (error instanceof HttpError) throw new BotUnavailableError('the bot platform cannot be reached');
    // The answer is JSON without the platform's envelope.
    throw new BotUnavailableError("the bot platform's answer cannot be read");
  }
}

/** 403: the person blocked the bot or has no account. 400: unknown chat, or a message that the platform never accepts. */
function messageError({ error_code: code, description }: GrammyError): Error | null {
  if (code === 403 || (code === 400 && /chat not found/i.test(description))) return new BotBlockedError();
  return code === 400 ? new BotRefusedError(code) : null;
}
