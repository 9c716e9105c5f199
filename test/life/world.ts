import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { type Answer, TestClient } from '../support/client.ts';
import { makePhoto, makeScan } from '../support/papers/scans.ts';
import { Auditor } from './auditor/auditor.ts';
import type { Asked } from './auditor/area.ts';
import { cookieIn, type Caller, type Exchange, type SentFile } from './auditor/exchange.ts';
import { compare, type Judgement } from './auditor/judgement.ts';
import { speaksFor } from './auditor/accounts/account-records.ts';
import type { Listener } from './listeners.ts';
import { withMarks } from './marks.ts';
import { attemptPauseMs, attempts, patiently } from './patience.ts';
import { signIn, withCode } from './sign-in.ts';
import { administratorEmail, administratorPassword, LifeRegistry, type Servers } from './registry.ts';

/** A person of a life: an account with its browser, an administrator who impersonates it, or a program with a key. */
export interface Person extends Caller {
  client: TestClient;
}

/** A program of an account. */
export interface Program extends Person {
  keyId: number;
  /** `next` of the changes that it read last; null before. */
  cursor: string | null;
}

export interface Call {
  params?: Record<string, number | string>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** One file as multipart/form-data, with the fields before it; its `pages` where the rules count them. */
  file?: { bytes: Buffer; fields?: Record<string, string>; name: string; pages?: number };
  /** A body that no client should send, as it stands. */
  raw?: string;
}

/** A request of a race. */
export interface Request {
  by: Person;
  operation: string;
  call?: Call;
}

/** By the name of a turn, the order in which the answers of its race came. */
export type Races = Map<string, number[]>;

const mostMs = 80 * 86_400_000;

/** One registry and those who live in it. Every request passes through `call`, and the auditor sees each with its answer. */
export class World {
  readonly registry: LifeRegistry;
  readonly auditor: Auditor;
  readonly exchanges: Exchange[] = [];
  readonly administrators: Person[] = [];
  readonly people: Person[] = [];
  /** Who acts by a key, also by one that has ended. */
  readonly programs: Program[] = [];
  /** Browsers that keep the live stream of their account open. */
  readonly listeners: Listener[] = [];
  /** Other browsers of people and administrators, and thieves: who holds a session beside the one of `people`. */
  readonly others: Person[] = [];
  readonly papers = papers;
  /** The steps so far, in words. */
  readonly turns: string[] = [];
  /** Writes that a missing part has refused, to be repeated. */
  readonly #postponed: Required<Request>[] = [];
  #requests = 0;
  #marks = 0;
  #isLosingAnswers = false;
  #away: 'temporal' | 'storage' | null = null;
  /** Milliseconds that the registry's clock is ahead of the machine's. */
  #aheadMs = 0;
  readonly #clocks: { since: number; aheadMs: number }[] = [];

  /** By turn, the order in which the answers of a race came. */
  readonly #races: Races;

  private constructor(registry: LifeRegistry, races: Races) {
    this.registry = registry;
    this.#races = races;
    this.auditor = new Auditor(this);
  }

  /** Starts a registry and signs its first administrator in. A life begins on 11 January 2027, whenever it is lived. */
  static async begin(servers: Servers, races: Races): Promise<World> {
    const world = new World(await LifeRegistry.start(servers), races);
    world.registry.receivers.now = () => world.now;
    world.auditor.model.federationEmail = administratorEmail;
    world.auditor.model.receiverAt = (url) => world.registry.receivers.at(url);
    await world.travelTo('2027-01-11T09:00:00+05:00');
    const client = new TestClient(world.registry.url);
    await client.login(administratorEmail, administratorPassword);
    world.administrators.push(personOf('the first administrator', client));
    world.auditor.knows(client, { role: 'administrator', isConfirmed: true, name: '' });
    await world.auditor.begin();
    return world;
  }

  get now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** The registry's time at an instant of the machine; that of now for a later one. */
  registryTimeAt(machineMs: number): number {
    const instant = Math.min(machineMs, Date.now());
    return instant + (this.#clocks.findLast(({ since }) => since <= instant)?.aheadMs ?? 0);
  }

  /** Moves the clock and waits for the sweeper. @param instant ISO 8601, later than now */
  async travelTo(instant: string): Promise<void> {
    const browser = new TestClient(this.registry.url);
    const moved = browser.expect(200, await patiently(() => browser.put('/sandbox/clock', { now: instant })));
    this.#aheadMs = Date.parse(moved.body.data.now) - Date.now();
    this.#clocks.push({ since: Date.now(), aheadMs: this.#aheadMs });
    await this.auditor.askByClock();
    await this.sweep();
    this.auditor.endOffers();
  }

  /** Lets the sweeper do what is due. */
  async sweep(): Promise<void> {
    const browser = new TestClient(this.registry.url);
    browser.expect(200, await patiently(() => browser.post('/sandbox/sweep')));
  }

  /** Lets time pass up to an instant; one that is over changes nothing. The auditor reads on in the changes before they end (CHG-4). */
  async passTo(instant: string): Promise<void> {
    while (Date.parse(instant) - this.now.getTime() > mostMs) {
      await this.travelTo(new Date(this.now.getTime() + mostMs).toISOString());
      this.auditor.passDays();
      this.auditor.inquiry.forget();
      await this.auditor.model.changes.follow(this.auditor.inquiry);
    }
    if (Date.parse(instant) > this.now.getTime() + 1000) await this.travelTo(instant);
  }

  get administrator(): Person {
    const [first] = this.administrators;
    if (!first) throw new Error('a world has an administrator');
    return first;
  }

  /**
   * Sends a request. One that meets a process that is being started again is repeated with its key, as a client should.
   * @param operation method and path as in the OpenAPI document, such as `POST /applications/{id}/submit`
   */
  async call(by: Person, operation: string, sent: Call = {}): Promise<Exchange> {
    const call = withCode(this.auditor.model, this.callerOf(by), operation, withMarks(operation, sent));
    const judgement = this.judge(by, operation, call);
    const isRepeatable = !operation.startsWith('GET ') && !renewsSession(operation);
    // A repeat keeps key and request id, so that its traces are found.
    const id = this.#nextId('step');
    const kept = { ...call, headers: { 'x-request-id': id, ...(isRepeatable ? { 'idempotency-key': id } : {}), ...call.headers } };
    if (isRepeatable && this.#isLosingAnswers) await this.ask(by, operation, kept);
    const exchange = await this.ask(by, operation, kept);
    this.exchanges.push(exchange);
    if (this.#away !== null && exchange.status === 503) {
      if (isRepeatable) this.#postponed.push({ by, operation, call: kept });
      return exchange;
    }
    compare(judgement, exchange);
    this.auditor.saw(exchange);
    // A person who is refused because the session is over signs in again; a thief cannot.
    const isHolder = this.people.includes(by) || this.administrators.includes(by);
    if (isHolder && exchange.error?.code === 'unauthenticated' && this.auditor.inquiry.isActive(by)) await signIn(this, by);
    return exchange;
  }

  /** What the rules say of a request, before it is sent. */
  judge(by: Person, operation: string, call: Call): Judgement {
    return this.auditor.judge(this.#askedOf(by, operation, call));
  }

  /** Sends an accepted write again with its key, as a client that lost the answer does. */
  async repeat(by: Person, first: Exchange): Promise<void> {
    const { operation, params, query, body, key, requestId } = first;
    const call = { params, query, body, headers: { 'idempotency-key': key ?? '' } };
    const repeat = this.auditor.judgeRepeat(first, this.#askedOf(by, operation, call));
    const exchange = { ...(await this.ask(by, operation, call)), repeats: requestId };
    this.exchanges.push(exchange);
    this.auditor.sawRepeat(repeat, exchange);
  }

  /** Loses the first answer to each write of the work; each is repeated with its key, as a client should. */
  async loseAnswersDuring(work: () => Promise<void>): Promise<void> {
    this.#isLosingAnswers = true;
    await work().finally(() => (this.#isLosingAnswers = false));
  }

  /**
   * Takes a part away during the work. A write that is refused for it is repeated with its key when the part is back.
   * @throws {Finding} when public verification does not answer meanwhile
   */
  async loseDuring(part: 'temporal' | 'storage', work: () => Promise<void>): Promise<void> {
    this.#away = part;
    await this.registry.loseDuring(part, async () => {
      await work();
      await this.auditor.askDuringOutage();
    });
    this.#away = null;
    for (const { by, operation, call } of this.#postponed.splice(0)) await this.call(by, operation, call);
  }

  /**
   * Sends requests at once, and takes their effects over in the order of the answers. The rules judge none of them, because each may
   * meet what another has changed. When the life is lived again, they are sent one after another in that order; during an outage too.
   */
  async race(requests: readonly Request[]): Promise<Exchange[]> {
    if (this.#away !== null) {
      const answers: Exchange[] = [];
      for (const { by, operation, call } of requests) answers.push(await this.call(by, operation, call));
      return answers;
    }
    const name = this.turns.at(-1) ?? 'the beginning';
    const recorded = this.#races.get(name);
    const exchanges = new Map<number, Exchange>();
    const send = async (index: number): Promise<void> => {
      const request = requests[index];
      if (request) exchanges.set(index, await this.ask(request.by, request.operation, request.call));
    };
    if (recorded) for (const index of recorded) await send(index);
    else await Promise.all(requests.keys().map(send));
    const inOrder = orderOfEffects([...exchanges]);
    this.#races.set(
      name,
      inOrder.map(([index]) => index),
    );
    const raced = inOrder.map(([, { requestId }]) => requestId);
    for (const [, exchange] of inOrder) {
      exchange.raced = raced;
      this.exchanges.push(exchange);
      this.auditor.saw(exchange);
    }
    return [...exchanges].toSorted(([left], [right]) => left - right).map(([, exchange]) => exchange);
  }

  /** Sends a request that is no step of the life, as the auditor does. */
  async ask(by: Person, operation: string, call: Call = {}): Promise<Exchange> {
    const [method = '', template = ''] = operation.split(' ');
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(call.params?.[name] ?? '')) + (call.query ?? '');
    const requestId = call.headers?.['x-request-id'] ?? this.#nextId('ask');
    const headers = {
      'x-request-id': requestId,
      ...(method === 'GET' ? {} : { 'idempotency-key': requestId }),
      ...call.headers,
    };
    const caller = this.callerOf(by);
    const answer = await this.#send(by.client, method, path, { ...call, headers });
    const exchange: Exchange = {
      operation,
      by: caller,
      params: call.params ?? {},
      query: call.query ?? '',
      body: call.body,
      file: sentFile(call),
      status: answer.status,
      data: answer.body?.data,
      meta: answer.body?.meta,
      error: answer.body?.error ?? null,
      headers: answer.headers,
      requestId,
      key: call.headers?.['idempotency-key'] ?? null,
      raced: [],
      bytes: answer.bytes,
      at: this.now,
    };
    this.auditor.answers.check(by, call, exchange, answer.body);
    return exchange;
  }

  /** Closes what is open, and the registry. */
  async end(): Promise<void> {
    for (const listener of this.listeners) listener.close();
    await this.registry.close();
  }

  /** The next number of this life, for a text that no other record has. */
  nextMark(): number {
    this.#marks += 1;
    return this.#marks;
  }

  #nextId(prefix: string): string {
    this.#requests += 1;
    return `${prefix}-${String(this.#requests).padStart(8, '0')}`;
  }

  /** Whom the credential of a person speaks for at this instant: an impersonation ends by the clock. */
  callerOf({ name, client, accountId, administratorId, scopes }: Person): Caller {
    const credential = client.key ?? cookieIn(client.cookie ?? '');
    const session = credential === null ? undefined : this.auditor.model.sessions.get(credential);
    return { name, accountId, administratorId, scopes, ...(session && speaksFor(session, this.now)), credential };
  }

  #askedOf(by: Person, operation: string, call: Call): Asked {
    const { params = {}, query = '', body, headers = {} } = call;
    const key = headers['idempotency-key'] ?? null;
    return { operation, params, query, body, file: sentFile(call), by: this.callerOf(by), key };
  }

  async #send(client: TestClient, method: string, path: string, call: Call & { headers: Record<string, string> }): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      let answer: Answer | null = null;
      try {
        answer = await client.request(method, path, requestOf(call));
      } catch (error) {
        if (attempt === attempts) throw error;
      }
      const isOutage = answer?.status === 503 && retried.has(answer.body?.error?.code);
      if (answer !== null && isOutage && this.#away !== null) return answer;
      const isPassing = answer === null || isOutage || isInProgress(answer);
      if (answer !== null && (!isPassing || attempt === attempts)) return answer;
      await setTimeout(attemptPauseMs);
    }
  }

  /** Tells the bank how an invoice's payment ends. @param outcome as of the bank simulator's `POST /control/{number}` */
  async payAtBank(invoiceId: number, outcome: string, options: { delay_ms?: number; times?: number } = {}): Promise<void> {
    const invoice = this.auditor.model.invoices.get(invoiceId);
    if (!invoice) throw new Error(`there is no invoice ${invoiceId}`);
    const { number } = invoice;
    const answer = await fetch(`${this.registry.bankUrl}/control/${number}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ outcome, ...options }),
    });
    if (!answer.ok) throw new Error(`the bank refused ${outcome} for invoice ${number}: ${await answer.text()}`);
    // A fault is no outcome.
    if (outcome === 'timeout' || outcome === 'error') {
      invoice.unanswered += options.times ?? 1;
      return;
    }
    invoice.bankSays = outcome;
    invoice.bankSaid.push({ outcome, at: this.now });
  }
}

const photo = makePhoto();
/** Papers of all lives: their content does not matter, so each is drawn once. */
const papers = {
  photo,
  otherPhoto: makePhoto(40),
  smallImage: photo.then((bytes) => sharp(bytes).resize(150, 150).toBuffer()),
  scan: makeScan('A paper of a life', 3),
};

/** Answers may come in another order than their effects, which `updated_at` of their records tells; a refusal has none. */
function orderOfEffects(answered: readonly [number, Exchange][]): [number, Exchange][] {
  const changedAt = ({ data }: Exchange) => Date.parse(data?.updated_at ?? '');
  if (answered.some(([, exchange]) => Number.isNaN(changedAt(exchange)))) return [...answered];
  return answered.toSorted(([, left], [, right]) => changedAt(left) - changedAt(right));
}

/** Routes that set the session's cookie run again when they are repeated (API-6). */
function renewsSession(operation: string): boolean {
  return operation.includes('/auth/') || operation === 'POST /admin/impersonate';
}

/** Refusals that pass while a process or a dependency starts again. */
const retried: ReadonlySet<unknown> = new Set([
  'workflow_unavailable',
  'service_unavailable',
  'storage_unavailable',
  'certificate_not_ready',
]);
const isInProgress = ({ body }: Answer) => body?.error?.code === 'request_in_progress';

function sentFile({ file }: Call): SentFile | null {
  return file ? { sha256: createHash('sha256').update(file.bytes).digest('hex'), pages: file.pages ?? null } : null;
}

/** The holder of an account at the browser in which they signed in. */
export function personOf(name: string, client: TestClient): Person {
  return { name, client, accountId: client.userId, administratorId: null, scopes: null };
}

function requestOf({ headers, body, file, raw: text }: Call & { headers: Record<string, string> }) {
  if (text !== undefined) return { headers, raw: text };
  if (!file) return { headers, ...(body === undefined ? {} : { body }) };
  const raw = new FormData();
  for (const [name, value] of Object.entries(file.fields ?? {})) raw.set(name, value);
  raw.set('file', new Blob([new Uint8Array(file.bytes)]), file.name);
  return { headers, raw };
}
