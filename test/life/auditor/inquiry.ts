import { isDeepStrictEqual } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import { TestClient } from '../../support/client.ts';
import type { Call, Person, World } from '../world.ts';
import { Finding } from './finding.ts';
import type { Exchange } from './exchange.ts';
import { dayOf, type Model } from './model.ts';

const patienceMs = 20_000;
const pauseMs = 100;

/** How the auditor asks. Its requests are no steps: they change nothing but marks of reading and audit rows. */
export class Inquiry {
  readonly model: Model;
  readonly #world: World;
  readonly #public: Person;

  constructor(world: World, model: Model) {
    this.#world = world;
    this.model = model;
    this.#public = { name: 'anybody', client: new TestClient(world.registry.url), accountId: 0, isAdministrator: false };
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

  personOf(accountId: number): Person | undefined {
    return [...this.#world.people, ...this.#world.administrators].find((person) => person.accountId === accountId);
  }

  /** Asks as the owner of an account; without a login where no person of the life has it. */
  readonly asOwner = async (accountId: number, operation: string, call: Call = {}): Promise<Exchange> =>
    this.#world.ask(this.personOf(accountId) ?? this.#public, operation, call);

  readonly asAdministrator = async (operation: string, call: Call = {}): Promise<Exchange> => {
    const answer = await this.#world.ask(this.#world.administrator, operation, call);
    if (answer.status !== 200) throw new Finding(`an administrator may ask ${operation} ${JSON.stringify(call)}`, 200, answer.error);
    return answer;
  };

  readonly publicly = async (operation: string, call: Call = {}): Promise<Exchange> => this.#world.ask(this.#public, operation, call);

  readonly as = async (person: Person, operation: string, call: Call = {}): Promise<Exchange> => this.#world.ask(person, operation, call);

  /** @throws {Finding} when both differ */
  readonly same = (question: string, expected: unknown, seen: unknown): void => {
    if (!isDeepStrictEqual(expected, seen)) throw new Finding(question, expected, seen);
  };

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
    }
  };
}
