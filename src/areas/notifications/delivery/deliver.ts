import { query } from '../../../platform/commands/command.ts';
import { causeOf } from '../../../platform/logging/log.ts';
import { deliveries } from '../../../platform/metrics/registry.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { DeliveryChannel } from '../entities.ts';
import { type ChannelGate, createGate } from './channel-gate.ts';
import { handOver } from './hand-over.ts';
import { type LeasedMessage, leaseNext, renewLease } from './leases.ts';
import { settle } from './settle.ts';

/** Messages that a worker process sends at once. Each channel has its own senders: a silent mail server does not delay the bot. */
const sendersOf: Readonly<Record<DeliveryChannel, number>> = { mail: 4, bot: 2 };
/** An account waits for at most so many others before its next message. */
const mostServed = 100;
/** Pause before the next look when nothing is due, milliseconds. */
const pollMs = 2_000;
/** Pause between two renewals of a lease, milliseconds: a slow server may take half a minute for a mail. */
const renewalMs = 4_000;

export interface Deliveries {
  /** Leases nothing more, and waits for messages that are being sent. */
  close(): Promise<void>;
}

/**
 * Starts to send mails and bot messages (NOT-4); runs in each worker of the queue `webhooks`. A message is a row of `notification_deliveries`. A lane leases
 * the next due row, sends it outside any transaction, and settles it in a short one: the row is deleted, or waits for its next attempt.
 * The row of a killed worker goes out again when its lease ends.
 */
export function startDeliveries(platform: Platform): Deliveries {
  const lanes = (['mail', 'bot'] as const).map((channel) => new Lane(platform, channel));
  const runs = lanes.map((lane) => lane.run());
  return {
    async close() {
      for (const lane of lanes) lane.close();
      await Promise.all(runs);
    },
  };
}

/** The messages of one channel. */
class Lane {
  readonly #platform: Platform;
  readonly #channel: DeliveryChannel;
  readonly #gate = createGate();
  /** By account: one message at a time, so that no account takes all senders. */
  readonly #underWay = new Map<number, Promise<void>>();
  /** Accounts that had a turn: those without one go first. */
  readonly #served = new Set<number>();
  #isClosed = false;
  #isWoken = false;
  #resume: (() => void) | null = null;

  constructor(platform: Platform, channel: DeliveryChannel) {
    this.#platform = platform;
    this.#channel = channel;
  }

  async run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWoken = false;
      const isBusy = this.#underWay.size >= sendersOf[this.#channel];
      if (isBusy || !(await this.#sendNext())) await this.#pause();
    }
    await Promise.all(this.#underWay.values());
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** @returns whether a message was due */
  async #sendNext(): Promise<boolean> {
    try {
      const message = await this.#leaseNext();
      if (message === null) return false;
      const sending = sendMessage(this.#platform, this.#gate, message).finally(() => {
        this.#underWay.delete(message.userId);
        // The next message of the account may go.
        this.#wake();
      });
      this.#underWay.set(message.userId, sending);
      return true;
    } catch (error) {
      this.#platform.log.warn(
        { channel: this.#channel, cause: causeOf(error) },
        'waiting messages could not be read; the next look follows',
      );
      return false;
    }
  }

  async #leaseNext(): Promise<LeasedMessage | null> {
    const busy = [...this.#underWay.keys()];
    const leaseExcept = (accounts: readonly number[]) => query(this.#platform, (db, now) => leaseNext(db, now, this.#channel, accounts));
    let message = await leaseExcept([...busy, ...this.#served]);
    if (this.#served.size >= mostServed || (message === null && this.#served.size > 0)) {
      this.#served.clear();
      message ??= await leaseExcept(busy);
    }
    if (message !== null) this.#served.add(message.userId);
    return message;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#resume?.();
  }

  async #pause(): Promise<void> {
    if (this.#isWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Sends a leased message and settles it. Never throws. */
export async function sendMessage(platform: Platform, gate: ChannelGate, message: LeasedMessage): Promise<void> {
  // A failed renewal is safe: the next one follows, or another worker takes over.
  const renewal = setInterval(() => void query(platform, (db) => renewLease(db, message)).catch(() => undefined), renewalMs);
  try {
    const outcome = await handOver(platform, gate, message);
    deliveries.inc({ channel: message.channel, outcome: outcome.kind });
    await settle(platform, message, outcome);
  } catch (error) {
    const facts = { notification_id: message.notificationId, channel: message.channel, cause: causeOf(error) };
    platform.log.error(facts, 'a message could not be settled; it goes out again');
    // Where the database is away, the row goes out when its lease ends.
    await settle(platform, message, { kind: 'failed' }).catch(() => undefined);
  } finally {
    clearInterval(renewal);
  }
}
