import { createHmac } from 'node:crypto';
import type { Delivered, Receiver } from '../../receivers.ts';
import { compare, isOf } from '../changes/change-reading.ts';
import type { Logged } from '../changes/change-log.ts';
import type { Change } from '../changes/change-readers.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { isPermitted, type Webhook } from './webhook-records.ts';

/** Pauses after each failed try (WHK-5). */
const [second, minute, hour] = [1000, 60_000, 3_600_000];
const failingMs = 5 * 24 * hour;
export const pauses = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour, 24 * hour];
/** By how much the clocks of the auditor and the registry differ at most; how long a delivery may be under way that was taken before. */
const [slackMs, underWayMs] = [2500, 6000];
/** After the end of a right nothing comes any more. */
const latestMs = 10_000;

export const isTest = ({ id }: Pick<Delivered, 'id'>): boolean => id.startsWith('test-');
export const isTaken = ({ answer }: Pick<Delivered, 'answer'>): boolean => answer !== null && answer.status >= 200 && answer.status < 300;

/** What came to the receivers of one webhook, judged one by one. Times without a name are of the machine, milliseconds. */
export class Deliveries {
  /** Judged ones, in the order in which they came. */
  readonly judged: Delivered[] = [];
  readonly #webhook: Webhook;
  readonly #counts = new Map<Receiver, number>();

  constructor(webhook: Webhook) {
    this.#webhook = webhook;
  }

  /**
   * Judges what has come since the last call; what is not in the log yet waits. What a worker was sending when it died is sent again.
   * @throws {Finding}
   */
  judge({ model, killedAt, registryTimeAt }: Pick<Inquiry, 'model' | 'killedAt' | 'registryTimeAt'>): void {
    for (const { url } of this.#webhook.addresses) {
      const receiver = model.receiverAt(url);
      if (!receiver) continue;
      for (let n = this.#counts.get(receiver) ?? 0; n < receiver.delivered.length; n += 1) {
        const one = receiver.delivered[n];
        if (!one) break;
        const entry = model.changes.logged[model.changes.indexOf(one.id)];
        if (!isTest(one) && !entry) break;
        this.#counts.set(receiver, n + 1);
        this.#askSignature(one, registryTimeAt);
        // What came while the clock moved was sent by the new time, before the life knew it.
        const latestAt = Math.max(one.registryAt.getTime(), registryTimeAt(one.at + underWayMs) - underWayMs);
        if (entry) this.#askChange(model, one, entry, { killedAt, latestAt });
        else this.#askTest(one, killedAt);
        this.judged.push(one);
      }
    }
  }

  /** Deliveries of a record, the latest last, since everything was tried afresh. */
  of(subject: string, since = 0): Delivered[] {
    return this.judged.filter((one) => !isTest(one) && one.change.subject === subject && one.at >= since);
  }

  hasTaken(id: string, since = 0): boolean {
    return this.judged.some((one) => one.id === id && one.at >= since && isTaken(one));
  }

  /** Whether a change was refused ten times while the receiver took others: it is given up (WHK-5). */
  isGivenUp(id: string): boolean {
    const tries = this.judged.filter((one) => one.id === id);
    return tries.length >= pauses.length + 1 || tries.some(({ answer }) => answer?.status === 410);
  }

  /** A test is one of those that were asked for, and comes once, but for a worker that died with it (WHK-8). */
  #askTest({ id, at, change }: Delivered, killedAt: readonly number[]): void {
    this.#same('sends the tests that were asked for (WHK-8)', true, this.#webhook.tests.has(id));
    const former = this.judged.findLast((one) => one.id === id);
    const isKilled = former !== undefined && killedAt.some((killed) => killed >= former.at - underWayMs && killed <= at);
    if (!isKilled) this.#same('sends a test once (WHK-8)', undefined, former?.id);
    this.#same('sends a test as one (WHK-8)', 'registry.webhook.tested.v1', change.type);
  }

  /** @param known when workers were killed, and when it came at the latest by the registry's clock */
  #askChange(model: Model, one: Delivered, entry: Logged, { killedAt, latestAt }: { killedAt: readonly number[]; latestAt: number }): void {
    const { id, at, change } = one;
    const { type, subject } = entry.change;
    const what = `${type} of ${subject}`;
    const isKilled = (since: number) => killedAt.some((killed) => killed >= since - underWayMs && killed <= at);
    const permitted = isPermitted(this.#webhook, { type, isOf: (audience) => isOf(entry, audience) !== false }, entry.after, at);
    this.#same(`gets ${what} only with the right to read it, while it is enabled and wants it (WHK-1, WHK-3)`, true, permitted);
    const isReader = this.#webhook.epochs.some(
      ({ isOn, audience, from, to }) => isOn && to >= at - latestMs && from <= at && isOf(entry, audience) !== false,
    );
    this.#same(`is sent ${what} only while its account may read it (WHK-3)`, true, isReader);
    compare(`webhook ${this.#webhook.id}`, entry.change, change as Change);
    const before = this.of(subject);
    const latest = before.at(-1);
    const own = before.filter((other) => other.id === id);
    if (latest && !isKilled(latest.at))
      this.#same(`gets ${what} after the answer to the one before (WHK-4)`, true, (latest.endedAt ?? Number.POSITIVE_INFINITY) <= at);
    const taken = own.findLast(isTaken);
    if (taken && !isKilled(taken.at))
      this.#same(`gets ${what} again only by a replay (WHK-4, WHK-8)`, true, this.#isReplayed(model, id, taken.at, at));
    const latestOwn = own.at(-1);
    if (latestOwn && !isTaken(latestOwn)) this.#askPause(one, own, latestAt, isKilled(latestOwn.at));
    this.#askHold(one, latestAt, isKilled(at - minute));
    if (!isKilled(at - minute)) this.#same('gets at most four at once (WHK-4)', true, one.beside < 4);
  }

  /** Whether a replay from before the change was asked for between two instants. */
  #isReplayed(model: Model, id: string, from: number, to: number): boolean {
    const index = model.changes.indexOf(id);
    return this.#webhook.replays.some((replay) => replay.index <= index && replay.at <= to && replay.at + underWayMs >= from);
  }

  /** Not before its pause, nor before the time that the receiver named (WHK-5). */
  #askPause({ id, at, change }: Delivered, own: readonly Delivered[], latestAt: number, isKilled: boolean): void {
    const latest = own.at(-1);
    const { freshAt, replays } = this.#webhook;
    if (!latest || isKilled || latest.at < freshAt + underWayMs) return;
    const tries = own.filter((one) => one.at >= freshAt).length;
    const usual = replays.length > 0 ? (pauses[0] ?? 0) : (pauses[tries - 1] ?? pauses.at(-1) ?? 0);
    // The last try is not later than the end of a webhook that takes nothing for five days.
    const isAtEnd = latest.registryAt.getTime() + 1.2 * usual > this.#failingSince() + failingMs - minute;
    const pause = isAtEnd ? 0 : usual;
    const wanted = latest.answer?.status === 503 || latest.answer?.status === 429 ? (latest.answer.retryAfter ?? 0) * second : 0;
    const waited = latestAt - latest.registryAt.getTime();
    const least = Math.max(pause, wanted) - slackMs;
    if (waited < least)
      throw new Finding(
        `webhook ${this.#webhook.id} is tried again with ${change.type} of ${change.subject} after its pause, not before Retry-After (WHK-5)`,
        `after ${least} ms`,
        `${id}, try ${tries + 1}, after ${waited} ms, ${at - latest.at} ms of the machine`,
      );
  }

  /** The first failure after the last change that was taken, by the registry's clock. */
  #failingSince(): number {
    const changes = this.judged.filter((one) => !isTest(one));
    const first = changes.slice(changes.findLastIndex(isTaken) + 1).find(({ at }) => at >= this.#webhook.freshAt);
    return first?.registryAt.getTime() ?? Number.POSITIVE_INFINITY;
  }

  /** A 429 with a time holds up all requests (WHK-5). Those that were under way come still. */
  #askHold(one: Delivered, latestAt: number, isKilled: boolean): void {
    const busy = this.judged.findLast(
      ({ answer, at }) => answer?.status === 429 && answer.retryAfter !== null && at >= this.#webhook.freshAt,
    );
    if (!busy || isKilled || isTest(busy) || one.at < (busy.endedAt ?? Number.POSITIVE_INFINITY) + underWayMs) return;
    const waited = latestAt - busy.registryAt.getTime();
    this.#same(
      'gets nothing while its receiver asks for a pause by 429 (WHK-5)',
      true,
      waited >= (busy.answer?.retryAfter ?? 0) * second - slackMs,
    );
  }

  /** By each secret in force, as Standard Webhooks says, at real time (WHK-2). */
  #askSignature({ headers, text, at, registryAt }: Delivered, registryTimeAt: Inquiry['registryTimeAt']): void {
    const stamp = Number(headers['webhook-timestamp']);
    this.#same('is signed at the present time (WHK-2)', true, Math.abs(stamp * second - at) < minute);
    const found = String(headers['webhook-signature']).split(' ');
    const signed = (secret: string) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      return `v1,${createHmac('sha256', key).update(`${headers['webhook-id']}.${stamp}.${text}`).digest('base64')}`;
    };
    const { secrets } = this.#webhook;
    // It may have come before the newest secret was made, or with those of a moment before.
    const isNew = secrets.length > 1 && at < (secrets[0]?.since ?? 0) + underWayMs;
    const [from, to] = [registryTimeAt(at - underWayMs) - minute, registryTimeAt(at + underWayMs) + minute];
    const isDoubtful = ({ until }: Webhook['secrets'][number]) => until !== null && until.getTime() > from && until.getTime() < to;
    const inForce = secrets.filter(({ until }) => until === null || until > registryAt);
    if (isNew)
      this.#same(
        'is signed by one of its secrets (WHK-2)',
        true,
        secrets.some(({ secret }) => found.includes(signed(secret))),
      );
    else if (!secrets.some(isDoubtful))
      this.#same(
        'is signed by its secrets in force, the former one for 24 hours (WHK-2)',
        inForce.map(({ secret }) => signed(secret)),
        found,
      );
  }

  #same(question: string, expected: unknown, seen: unknown): void {
    if (JSON.stringify(expected) !== JSON.stringify(seen)) throw new Finding(`webhook ${this.#webhook.id} ${question}`, expected, seen);
  }
}
