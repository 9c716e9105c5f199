import { setTimeout } from 'node:timers/promises';
import type { Platform } from '../../platform/platform.ts';
import { changeMediaType } from '../changes/index.ts';
import { DeliveryLine } from './delivery-line.ts';
import { signatureHeaders } from './secrets.ts';
import { isDelivered, type Outcome } from './settle-round.ts';
import type { Round, Waiting } from './take-round.ts';

/** The requests of one webhook that are under way. A receiver that does not answer holds its own subject only: the next round begins beside it. */
export class Sending {
  readonly #outgoing: Platform['outgoing'];
  /** Aborts when the worker stops. */
  readonly #signal: AbortSignal;
  readonly #line = new DeliveryLine<Waiting>();
  readonly #underWay = new Map<Waiting, Promise<void>>();
  #outcomes: Outcome[] = [];

  constructor({ outgoing }: Pick<Platform, 'outgoing'>, signal: AbortSignal) {
    this.#outgoing = outgoing;
    this.#signal = signal;
  }

  /** Sends deliveries until all of the round have ended, at most for `ms`. Those under way then go on. */
  async send(round: Round, ms: number): Promise<void> {
    const until = performance.now() + ms;
    this.#line.load(round.waiting);
    while (performance.now() < until && !this.#signal.aborted) {
      const delivery = this.#line.next();
      if (delivery !== null) this.#begin(round, delivery);
      else if (this.#line.isBusyWithRound) await this.someEnd(until - performance.now());
      else return;
    }
    this.#line.hold();
  }

  get isBusy(): boolean {
    return this.busy.length > 0;
  }

  /** The deliveries under way, and those that ended and are not recorded yet: in the database all of them still wait. */
  get busy(): Waiting[] {
    return [...this.#underWay.keys(), ...this.#outcomes.map(({ delivery }) => delivery)];
  }

  /** Waits until a delivery ends, at most for `ms`. */
  async someEnd(ms: number): Promise<void> {
    const patience = new AbortController();
    const signal = AbortSignal.any([patience.signal, this.#signal]);
    await Promise.race([...this.#underWay.values(), setTimeout(ms, undefined, { signal }).catch(() => undefined)]);
    patience.abort();
  }

  /** Waits until all deliveries have ended. */
  async allEnd(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  /** Returns what became of deliveries since the last call, in the order of their ends. Record them before the next round is taken. */
  takeOutcomes(): Outcome[] {
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    return outcomes;
  }

  #begin(round: Round, delivery: Waiting): void {
    const sending = this.#try(round, delivery).then((answer) => {
      this.#underWay.delete(delivery);
      const isAnswer = answer !== 'not_permitted';
      // An answer that the end of the worker cut off is none.
      if (this.#signal.aborted && isAnswer && answer.status === null) return;
      this.#outcomes.push({ delivery, answer });
      this.#line.ended(delivery, !isAnswer || isDelivered(answer));
      // The receiver wants no request of anyone meanwhile.
      if (isAnswer && answer.status === 429 && answer.retryAfterMs > 0) this.#line.hold();
    });
    this.#underWay.set(delivery, sending);
  }

  async #try({ url, secrets, seesAll }: Round, { messageId, body, isOwn }: Waiting): Promise<Outcome['answer']> {
    if (!isOwn && !seesAll) return 'not_permitted';
    const headers = { 'content-type': changeMediaType, ...signatureHeaders(secrets, messageId, new Date(), body) };
    return this.#outgoing.post(url, body, headers, this.#signal);
  }
}
