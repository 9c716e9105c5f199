import { DomainError } from '../errors.ts';

export interface TurnLimits {
  /** Done at once. */
  atOnce: number;
  /** Done at once for one party, as many as `atOnce` when absent: the rest is left to the others, so that nobody waits behind a single one. */
  atOnceEach?: number;
  /** Waiting at once, of one party. */
  waitingEach: number;
  /** Waiting at once, of all. */
  waitingInAll: number;
}

/** What is thrown at those who may not even wait. */
export interface TurnRefusals {
  /** To a party that waits for as much as it may. */
  tooMany(): Error;
  /** When all places to wait are taken. */
  full(): Error;
}

interface Waiting {
  begin(): void;
  refuse(error: unknown): void;
}

/** A turn comes within a second or so. */
const usualRefusals: TurnRefusals = {
  tooMany: () => new DomainError('rate_limited', { retry_after_seconds: 1 }),
  full: () => new DomainError('service_unavailable'),
};

/**
 * Work of which only so much is done at once, shared fairly: whoever is next is chosen among the parties that wait in turn, not
 * among their requests. So a party waits for one piece of each other's work at the most, however many of them somebody sends.
 *
 * When all places to wait are taken, a newcomer gets one of the party that has the most, if it has two more than the newcomer; the last
 * that this party sent is refused in its place. Nobody fills the places for all others from a few addresses.
 */
export class FairTurns<Party extends string | number> {
  readonly #limits: Required<TurnLimits>;
  readonly #refusals: TurnRefusals;
  /** What is being done, by party. */
  readonly #running = new Map<Party, number>();
  #runningInAll = 0;
  #waitingInAll = 0;
  /** Parties that wait, from the next to the last to be served. */
  readonly #parties = new Map<Party, Waiting[]>();

  constructor(limits: TurnLimits, refusals: TurnRefusals = usualRefusals) {
    this.#limits = { atOnceEach: limits.atOnce, ...limits };
    this.#refusals = refusals;
  }

  /**
   * Does the work when its turn has come.
   * @param gone whoever asked has gone: what still waits is given up and its place is free; what was begun goes on
   * @throws the reason of `gone`; what `tooMany` says, when the party waits for too much already; what `full` says, when too many parties wait
   */
  async take<Result>(party: Party, work: () => Promise<Result>, gone?: AbortSignal): Promise<Result> {
    gone?.throwIfAborted();
    if (this.#mayBegin(party)) this.#begin(party);
    else await this.#wait(party, gone);
    try {
      return await work();
    } finally {
      this.#end(party);
    }
  }

  /** Refuses all that waits; what was begun goes on. */
  refuseWaiting(error: Error): void {
    const all = [...this.#parties.values()].flat();
    this.#parties.clear();
    this.#waitingInAll = 0;
    for (const waiting of all) waiting.refuse(error);
  }

  #mayBegin(party: Party): boolean {
    return this.#runningInAll < this.#limits.atOnce && (this.#running.get(party) ?? 0) < this.#limits.atOnceEach;
  }

  #begin(party: Party): void {
    this.#runningInAll += 1;
    this.#running.set(party, (this.#running.get(party) ?? 0) + 1);
  }

  #end(party: Party): void {
    this.#runningInAll -= 1;
    const left = (this.#running.get(party) ?? 0) - 1;
    if (left > 0) this.#running.set(party, left);
    else this.#running.delete(party);
    this.#beginNext();
  }

  async #wait(party: Party, gone: AbortSignal | undefined): Promise<void> {
    this.#makeRoom(party);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { begin: resolve, refuse: reject };
    const others = this.#parties.get(party);
    if (others) others.push(waiting);
    else this.#parties.set(party, [waiting]);
    this.#waitingInAll += 1;
    const giveUp = () => {
      if (this.#remove(party, waiting)) reject(gone?.reason);
    };
    gone?.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
    } finally {
      gone?.removeEventListener('abort', giveUp);
    }
  }

  #makeRoom(party: Party): void {
    const own = this.#parties.get(party)?.length ?? 0;
    if (own >= this.#limits.waitingEach) throw this.#refusals.tooMany();
    if (this.#waitingInAll < this.#limits.waitingInAll) return;
    const [greedy, theirs] = [...this.#parties].reduce((most, each) => (each[1].length > most[1].length ? each : most));
    const last = theirs.at(-1);
    if (theirs.length < own + 2 || !last) throw this.#refusals.full();
    this.#remove(greedy, last);
    last.refuse(this.#refusals.tooMany());
  }

  /** Whoever is next begins here and not when it hears of it, so that nobody takes its place in between. */
  #beginNext(): void {
    const next = this.#parties.entries().find(([party]) => this.#mayBegin(party));
    if (!next) return;
    const [party, [first, ...others]] = next;
    this.#parties.delete(party);
    if (others.length > 0) this.#parties.set(party, others);
    this.#waitingInAll -= 1;
    this.#begin(party);
    first?.begin();
  }

  /** @returns false when it waits no longer */
  #remove(party: Party, waiting: Waiting): boolean {
    const all = this.#parties.get(party) ?? [];
    const position = all.indexOf(waiting);
    if (position < 0) return false;
    all.splice(position, 1);
    if (all.length === 0) this.#parties.delete(party);
    this.#waitingInAll -= 1;
    return true;
  }
}
