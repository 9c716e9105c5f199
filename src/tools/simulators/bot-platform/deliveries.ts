import { setTimeout } from 'node:timers/promises';
import { postJson } from '../simulator.ts';
import type { Faults } from './faults.ts';
import type { Phonebook } from './phonebook.ts';

const pausesMs = [100, 500, 1_000, 2_000, 5_000, 15_000];
const attemptTimeoutMs = 10_000;
const pollMs = 20;
/** Maximum waiting updates; others are lost, as on the real platform. */
const maxWaiting = 1_000;
const historyLimit = 200;

/** One attempt to deliver an update, for `GET /control`. */
interface Delivery {
  update_id: number;
  attempt: number;
  result: string;
}

/** Sends updates to the bot's webhook, with the secret in a header. Updates of one chat go one at a time, each until it is accepted. */
export class Deliveries {
  readonly #phonebook: Phonebook;
  readonly #faults: Faults;
  readonly #stopped = new AbortController();
  readonly #lastOfChat = new Map<number, Promise<void>>();
  readonly history: Delivery[] = [];
  #waiting = 0;

  constructor(phonebook: Phonebook, faults: Faults) {
    this.#phonebook = phonebook;
    this.#faults = faults;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Queues an update and returns at once. */
  send(chatId: number, update: Record<string, unknown> & { update_id: number }): void {
    if (this.#waiting >= maxWaiting) return;
    this.#waiting += 1;
    const before = this.#lastOfChat.get(chatId) ?? Promise.resolve();
    const done = before
      .then(() => this.#deliver(update))
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1;
        if (this.#lastOfChat.get(chatId) === done) this.#lastOfChat.delete(chatId);
      });
    this.#lastOfChat.set(chatId, done);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#lastOfChat.values());
  }

  async #deliver(update: { update_id: number }): Promise<void> {
    const { signal } = this.#stopped;
    for (let attempt = 0; !signal.aborted;) {
      const { webhook } = this.#phonebook.memory;
      if (this.#faults.isHolding || webhook === null) {
        await setTimeout(pollMs, undefined, { signal });
        continue;
      }
      const copies = Array.from({ length: this.#faults.deliverTimes }, () => this.#attempt(webhook, update, attempt));
      if ((await Promise.all(copies)).includes(true)) return;
      await setTimeout(pausesMs[Math.min(attempt, pausesMs.length - 1)], undefined, { signal });
      attempt += 1;
    }
  }

  async #attempt({ url, secret }: { url: string; secret: string }, update: { update_id: number }, attempt: number): Promise<boolean> {
    const headers = { 'x-telegram-bot-api-secret-token': secret };
    const { isAccepted, result } = await postJson(url, update, { headers, timeoutMs: attemptTimeoutMs, signal: this.#stopped.signal });
    this.history.push({ update_id: update.update_id, attempt: attempt + 1, result });
    if (this.history.length > historyLimit) this.history.shift();
    return isAccepted;
  }
}
