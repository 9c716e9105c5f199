import { setTimeout } from 'node:timers/promises';
import { baseUrl, required } from '../../registry/config.ts';
import { languages } from '../../http/language.ts';
import { BotUnavailableError } from '../../platform/bot/bot.ts';
import { causeOf } from '../../platform/logging/log.ts';
import type { Platform } from '../../platform/platform.ts';
import { webhookAddress } from './routes.ts';
import { botCommands, botTexts } from './texts.ts';

/** Pauses before further attempts; the last one repeats. */
const pausesMs = [1_000, 5_000, 30_000, 300_000];

/** Background registration of the bot with its platform. */
interface BotIntroduction {
  /** Cancels pending attempts and waits for the call in progress. */
  stop(): Promise<void>;
}

/**
 * Registers the webhook and the commands with the bot platform, in the registry's languages. Idempotent: every API process does it at each
 * start. Failures are logged and retried, and do not delay the start.
 */
export function introduceBot(platform: Pick<Platform, 'bot' | 'config' | 'log'>): BotIntroduction {
  const stopping = new AbortController();
  const done = introduce(platform, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

async function introduce({ bot, config, log }: Pick<Platform, 'bot' | 'config' | 'log'>, signal: AbortSignal): Promise<void> {
  if (bot === null) return;
  const url = config.BOT_WEBHOOK_URL ?? baseUrl(config) + webhookAddress;
  const secret = required(config, 'BOT_WEBHOOK_SECRET');
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await bot.setWebhook({ url, secret, updates: ['message', 'my_chat_member'] });
      // Users of other languages see Russian until their account is known.
      for (const language of [null, ...languages]) {
        const words = botTexts[language ?? 'ru'].commands;
        await bot.setCommands(
          language,
          botCommands.map((command) => ({ command, description: words[command] })),
        );
      }
      log.info({ webhook: url }, 'webhook and commands of the messaging bot are registered');
      return;
    } catch (error) {
      log.warn({ cause: causeOf(error) }, 'cannot register the messaging bot with its platform; retrying');
      const wanted = error instanceof BotUnavailableError ? (error.retryAfterMs ?? 0) : 0;
      const pause = pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 0;
      await setTimeout(Math.max(wanted, pause), undefined, { signal }).catch(() => undefined);
    }
  }
}
