import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { isSame } from '../simulator.ts';

export const limits = { inboxes: 50, deliveries: 200, ids: 10_000, secrets: 5, seconds: 60, times: 1000 } as const;

/** What a delivery receives; `slow` answers 200 later, `silent` never answers. */
export const answers = ['200', '410', '500', '503', 'slow', 'silent'] as const;
export type Answer = (typeof answers)[number];

/** Body of `POST /control/{name}`; omitted fields stay unchanged. */
export const controlSchema = z.strictObject({
  /** Each signature that one of them made is right; an empty list leaves signatures unchecked. */
  secrets: z
    .array(z.string().regex(/^whsec_[A-Za-z0-9+/]{16,128}={0,2}$/, 'a secret is whsec_ and base64'))
    .max(limits.secrets)
    .optional(),
  answer: z
    .strictObject({
      kind: z.enum(answers),
      /** Delay of `slow`, and `Retry-After` of `503`. */
      seconds: z.int().min(1).max(limits.seconds).default(5),
      /** For the next deliveries, then 200; without a number for all. */
      times: z.int().min(1).max(limits.times).nullable().default(null),
    })
    .optional(),
});
export type Control = z.output<typeof controlSchema>;

/** `unknown` while the inbox has no secret. */
type SignatureState = 'right' | 'wrong' | 'unknown';

/** A delivery as the control API and the page show it. */
export type Delivery = {
  received_at: string;
  /** `webhook-id`; null without the header. */
  id: string | null;
  signature: SignatureState;
  /** Whether an earlier delivery had this id. */
  is_repeat: boolean;
  answer: Answer;
  /** The headers `webhook-*` and `content-type`. */
  headers: Record<string, string>;
  body: string;
};

/** An inbox as the control API and the page show it; the newest delivery first. */
export type InboxView = {
  name: string;
  secrets: number;
  answer: { kind: Answer; seconds: number; times_left: number | null };
  deliveries: Delivery[];
};

/** The deliveries to one address, its secrets and its answer. */
export class Inbox {
  readonly name: string;
  #secrets: string[] = [];
  #answer: { kind: Answer; seconds: number; left: number | null } = { kind: '200', seconds: 5, left: null };
  #deliveries: { delivery: Delivery; body: Buffer }[] = [];
  readonly #ids = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  control({ secrets, answer }: Control): void {
    if (answer) this.#answer = { kind: answer.kind, seconds: answer.seconds, left: answer.times };
    if (!secrets) return;
    this.#secrets = secrets;
    // A secret is shown after the webhook exists, so deliveries may come before it.
    for (const { delivery, body } of this.#deliveries)
      if (delivery.signature === 'unknown') delivery.signature = this.#check(delivery.headers, body);
  }

  /** Stores a delivery. @returns what to answer */
  receive(headers: Record<string, string>, body: Buffer): { kind: Answer; seconds: number } {
    const answer = this.#takeAnswer();
    const id = headers['webhook-id'] ?? null;
    const delivery: Delivery = {
      received_at: new Date().toISOString(),
      id,
      signature: this.#check(headers, body),
      is_repeat: id !== null && this.#ids.has(id),
      answer: answer.kind,
      headers,
      body: body.toString('utf8'),
    };
    this.#deliveries = [{ delivery, body }, ...this.#deliveries.slice(0, limits.deliveries - 1)];
    if (id !== null) addLimited(this.#ids, id, limits.ids);
    return answer;
  }

  clear(): void {
    this.#deliveries = [];
    this.#ids.clear();
  }

  describe(): InboxView {
    const { kind, seconds, left } = this.#answer;
    return {
      name: this.name,
      secrets: this.#secrets.length,
      answer: { kind, seconds, times_left: left },
      deliveries: this.#deliveries.map(({ delivery }) => delivery),
    };
  }

  #check(headers: Record<string, string>, body: Buffer): SignatureState {
    if (this.#secrets.length === 0) return 'unknown';
    return this.#secrets.some((secret) => isSignedBy(secret, headers, body)) ? 'right' : 'wrong';
  }

  #takeAnswer(): { kind: Answer; seconds: number } {
    const { kind, seconds, left } = this.#answer;
    if (left !== null) this.#answer = left > 1 ? { kind, seconds, left: left - 1 } : { kind: '200', seconds, left: null };
    return { kind, seconds };
  }
}

/** All inboxes; the one without a change for the longest time is removed first. */
export class Inboxes {
  readonly #inboxes = new Map<string, Inbox>();

  find(name: string): Inbox | undefined {
    return this.#inboxes.get(name);
  }

  /** Returns the inbox as the most recent one, and creates a missing one. */
  open(name: string): Inbox {
    const inbox = this.#inboxes.get(name) ?? new Inbox(name);
    this.#inboxes.delete(name);
    this.#inboxes.set(name, inbox);
    const oldest = this.#inboxes.keys().next();
    if (this.#inboxes.size > limits.inboxes && !oldest.done) this.#inboxes.delete(oldest.value);
    return inbox;
  }

  /** The most recent first. */
  describe(): InboxView[] {
    return [...this.#inboxes.values()].toReversed().map((inbox) => inbox.describe());
  }
}

function addLimited(set: Set<string>, value: string, limit: number): void {
  set.add(value);
  const oldest = set.values().next();
  if (set.size > limit && !oldest.done) set.delete(oldest.value);
}

/**
 * Returns whether a secret made one of the signatures of a delivery (Standard Webhooks 1.0). It does not compare the timestamp with the
 * clock, because the sandbox moves the registry's clock.
 * @param secret `whsec_` and base64
 */
function isSignedBy(secret: string, headers: Readonly<Record<string, string>>, body: Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  return signatures.split(' ').some((signature) => isSame(signature, expected));
}
