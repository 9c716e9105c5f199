import { isDeepStrictEqual } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import { TestClient } from '../../support/client.ts';
import type { Listener } from '../listeners.ts';
import type { Phones } from '../phones.ts';
import type { Call, Person, Program, World } from '../world.ts';
import { Finding } from './finding.ts';
import type { Exchange } from './exchange.ts';
import type { Judgement } from './judgement.ts';
import { Mailbox } from './mails/mailbox.ts';
import { dayOf } from './days.ts';
import type { Model } from './model.ts';

/** Time of the machine, which may be busy, within which what is due surely happens, milliseconds. */
export const patienceMs = 40_000;
const pauseMs = 100;

/** How the auditor asks. Its requests are no steps: they change nothing but marks of reading and audit rows. */
export class Inquiry {
  readonly model: Model;
  readonly #world: World;
  readonly #public: Person;
  /** The mails that the registry sends. */
  readonly mailbox: Mailbox;
  /** What was read since the last step: several areas ask alike. */
  readonly #answers = new Map<string, Promise<Exchange>>();
  #sent: Exchange[] = [];

  constructor(world: World, model: Model) {
    this.#world = world;
    this.model = model;
    this.mailbox = new Mailbox(world.registry.dataDir);
    this.#public = { name: 'anybody', client: new TestClient(world.registry.url), accountId: 0, administratorId: null, scopes: null };
  }

  get now(): Date {
    return this.#world.now;
  }

  get today(): string {
    return dayOf(this.#world.now);
  }

  get registryUrl(): string {
    return this.#world.registry.url;
  }

  get people(): readonly Person[] {
    return this.#world.people;
  }

  /** Telephones with the bot, and its platform. */
  get phones(): Phones {
    return this.#world.registry.phones;
  }

  /** When workers died, by the machine's clock. */
  get killedAt(): readonly number[] {
    return this.#world.registry.killedAt;
  }

  /** When a part of the registry was back last, by the machine's clock. */
  get disturbedAt(): number {
    return this.#world.registry.disturbedAt;
  }

  /** The registry's time at an instant of the machine, milliseconds. */
  readonly registryTimeAt = (machineMs: number): number => this.#world.registryTimeAt(machineMs);

  get programs(): readonly Program[] {
    return this.#world.programs;
  }

  /** Live streams that are open now. */
  get listeners(): Listener[] {
    return [...this.#world.listeners];
  }

  /** Follows a live stream no longer. */
  leave(listener: Listener): void {
    listener.close();
    this.#world.listeners.splice(this.#world.listeners.indexOf(listener), 1);
  }

  personOf(accountId: number): Person | undefined {
    return [...this.#world.people, ...this.#world.administrators].find((person) => person.accountId === accountId);
  }

  /** Everyone who holds a session or a key. */
  holders(): Person[] {
    return [...this.#world.people, ...this.#world.administrators, ...this.#world.others];
  }

  credentialOf(person: Person): string | null {
    return this.#world.callerOf(person).credential ?? null;
  }

  /** Whether the session of a person is over, or not whole yet: they must sign in. */
  isSignedOut(person: Person): boolean {
    const session = this.model.sessions.get(this.credentialOf(person) ?? '');
    // A browser that signed out holds the cookie of no account.
    return person.scopes === null && (session?.isOver !== false || session.waitsUntil !== null);
  }

  /** Whether the session of a person waits for the code of a second factor. */
  isWaiting(person: Person): boolean {
    const session = this.model.sessions.get(this.credentialOf(person) ?? '');
    return session?.isOver === false && session.waitsUntil !== null;
  }

  /** Whether the registry asks a person to sign in, or for the code of the second factor, instead of answering (ACC-28). */
  mustSignIn(person: Person | undefined, { status }: Pick<Exchange, 'status'>): boolean {
    return status === 401 || (status === 403 && person !== undefined && this.isWaiting(person));
  }

  isActive({ accountId }: Person): boolean {
    return this.model.accounts.get(accountId)?.status === 'active';
  }

  /** What the rules say of a request that a person could send. */
  readonly judge = (person: Person, operation: string, call: Call): Judgement => this.#world.judge(person, operation, call);

  /** Forgets what was read: a step has been taken, or a process may have moved on. */
  readonly forget = (): void => this.#answers.clear();

  /** Asks as the owner of an account; without a login where no person of the life has it. */
  readonly asOwner = (accountId: number, operation: string, call: Call = {}): Promise<Exchange> =>
    this.as(this.personOf(accountId) ?? this.#public, operation, call);

  readonly asAdministrator = async (operation: string, call: Call = {}): Promise<Exchange> => {
    const answer = await this.as(this.#world.administrator, operation, call);
    if (answer.status !== 200) throw new Finding(`an administrator may ask ${operation} ${JSON.stringify(call)}`, 200, answer.error);
    return answer;
  };

  readonly publicly = (operation: string, call: Call = {}): Promise<Exchange> => this.as(this.#public, operation, call);

  /** Asks as a person. The same question after the same step is sent once. */
  readonly as = (person: Person, operation: string, call: Call = {}): Promise<Exchange> => {
    if (call.file) return this.#send(person, operation, call);
    const question = JSON.stringify([person.name, operation, call]);
    const answer = this.#answers.get(question) ?? this.#send(person, operation, call);
    this.#answers.set(question, answer);
    return answer;
  };

  /** What was sent since the last call. */
  takeSent(): Exchange[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  async #send(person: Person, operation: string, call: Call): Promise<Exchange> {
    const answer = await this.#world.ask(person, operation, call);
    this.#sent.push(answer);
    return answer;
  }

  /** All rows of an administrators' list, page by page. @param query filters, such as `?kind=document` */
  readonly listed = async <Row>(operation: string, query = ''): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await this.asAdministrator(operation, { query: `${query}${query === '' ? '?' : '&'}page=${page}&limit=100` });
      rows.push(...(answer.data as Row[]));
      if (rows.length >= answer.meta.total || answer.data.length === 0) return rows;
    }
  };

  /** All rows of a list as a person sees it, page by page; none where they may not read it. */
  readonly listedTo = async <Row>(person: Person, operation: string, query = ''): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let page = 1; ; page += 1) {
      const paged = `${query}${query === '' ? '?' : '&'}page=${page}&limit=100`;
      const { status, data, meta } = await this.as(person, operation, { query: paged });
      if (status !== 200) return rows;
      rows.push(...(data as Row[]));
      if (rows.length >= meta.total || data.length === 0) return rows;
    }
  };

  /** @throws {Finding} when both differ */
  readonly same = (question: string, expected: unknown, seen: unknown): void => {
    if (!isDeepStrictEqual(expected, seen)) throw new Finding(question, expected, seen);
  };

  /** Lets the sweeper do what is due. */
  readonly sweep = (): Promise<void> => this.#world.sweep();

  readonly pause = (): Promise<void> => setTimeout(pauseMs);

  /** Asks again until the answer is right: processes answer a moment later. @throws {Finding} the last one, after 20 seconds */
  readonly eventually = async (ask: () => Promise<void>): Promise<void> => {
    const until = Date.now() + patienceMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Finding) || Date.now() > until) throw error;
      }
      await setTimeout(pauseMs);
      this.forget();
    }
  };
}
