import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers';
import { type Arrival, startWebhookReceivers, type WebhookReceivers } from '../support/outside-servers/webhook-receiver.ts';
import { createRandom } from '../support/random.ts';
import { weighted } from './steps/step.ts';

/** How a receiver answers: always 200; by chance; 500 for some records; always 500; always 410; asks for a pause each time. */
export type Mood = 'good' | 'moody' | 'choosy' | 'dead' | 'gone' | 'pausing';

/** A delivery as its receiver sees it. Times without a name are of the machine, milliseconds. */
export interface Delivered extends Arrival {
  /** By the registry's clock. */
  registryAt: Date;
  /** Requests at this receiver that were under way when it came, without tests and itself. */
  beside: number;
  /** What the receiver answers; null when it breaks off. */
  answer: Reply | null;
  /** When the answer was sent; null before. */
  endedAt: number | null;
}

interface Reply {
  status: number;
  text: string;
  /** Seconds. */
  retryAfter: number | null;
}

/** Longer than what the registry keeps of an answer, with letters of two bytes at its border. */
const longText = `${'received '.repeat(110)}қабылданды қабылданды қабылданды`;
const slowMs = 1_200;
const pauseSeconds = 120;

/** One address that takes deliveries. */
export class Receiver {
  readonly url: string;
  readonly delivered: Delivered[] = [];
  mood: Mood = 'good';
  readonly #seed: number;
  readonly #now: () => Date;

  constructor(made: ReturnType<WebhookReceivers['make']>, now: () => Date, seed: number) {
    this.url = made.url;
    this.#now = now;
    this.#seed = seed;
    made.answers((response, arrival) => this.#take(response, arrival));
  }

  #take(response: ServerResponse, arrival: Arrival): void {
    const beside = this.delivered.filter(({ endedAt, id }) => endedAt === null && !id.startsWith('test-')).length;
    const { answer, isSlow } = this.#choose(arrival);
    const delivered: Delivered = { ...arrival, registryAt: this.#now(), beside, answer, endedAt: null };
    this.delivered.push(delivered);
    const end = () => {
      delivered.endedAt = Date.now();
      if (answer === null) response.destroy();
      else {
        const headers = answer.retryAfter === null ? {} : { 'retry-after': String(answer.retryAfter) };
        response.writeHead(answer.status, headers).end(answer.text);
      }
    };
    if (isSlow) setTimeout(end, slowMs);
    else end();
  }

  /** The same change at the same try has the same answer, in whatever order deliveries come. */
  #choose({ change }: Arrival): { answer: Reply | null; isSlow: boolean } {
    const tries = this.delivered.filter((one) => one.change.type === change.type && one.change.subject === change.subject).length;
    const random = createRandom(hashOf(`${this.#seed} ${change.type} ${change.subject} ${tries}`));
    const text = random.pick(['', 'ok', longText]);
    const reply = (status: number, retryAfter: number | null = null) => ({ status, text: status === 204 ? '' : text, retryAfter });
    // Tests are rare.
    const isSlow = random.next() < (change.type === 'registry.webhook.tested.v1' ? 0.4 : 0.08);
    switch (this.mood) {
      case 'good':
        return { answer: reply(random.pick([200, 200, 202, 204])), isSlow };
      case 'dead':
        return { answer: reply(500), isSlow: false };
      case 'gone':
        return { answer: reply(410), isSlow: false };
      case 'pausing':
        return { answer: reply(429, pauseSeconds), isSlow: false };
      case 'choosy':
        return { answer: reply(hashOf(change.subject) % 3 === 0 ? 500 : 200), isSlow };
      case 'moody':
        return {
          answer: weighted(random, [
            [reply(200), 6],
            [reply(500), 1],
            [reply(503, 3600), 1],
            [reply(429, pauseSeconds), 1],
            [null, 1],
          ]),
          isSlow,
        };
    }
  }
}

/** The receivers of a life, in one server. */
export class Receivers {
  /** The registry's clock. */
  now: () => Date = () => new Date();
  readonly #byUrl = new Map<string, Receiver>();
  readonly #server: WebhookReceivers;

  private constructor(server: WebhookReceivers) {
    this.#server = server;
  }

  static async start(): Promise<Receivers> {
    return new Receivers(await startWebhookReceivers());
  }

  make(seed: number): Receiver {
    const receiver = new Receiver(this.#server.make(), () => this.now(), seed);
    this.#byUrl.set(receiver.url, receiver);
    return receiver;
  }

  at(url: string): Receiver | undefined {
    return this.#byUrl.get(url);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
