import { DomainError } from '../../errors.ts';

export interface TurnLimits {
  /** Done at once. */
  atOnce: number;
  /** Done at once for one party, as many as `atOnce` when absent: the rest is left to the others, so that no party has all. */
  atOnceEach?: number;
  /** Long pieces of work in parallel, `atOnce` when absent: the rest is left to short work. */
  atOnceLong?: number;
  /** Waiting at once, of one party. */
  waitingEach: number;
  /** Waiting at once, of all. */
  waitingInAll: number;
}

/** Errors for work that may not even wait. */
export interface TurnRefusals {
  /** To a party that waits for as much as it may. */
  tooMany(): Error;
  /** When all places to wait are taken. */
  full(): Error;
}

export interface TurnOptions {
  /** Aborts when the client has disconnected: waiting work is dropped and its place freed; started work continues. */
  signal?: AbortSignal | undefined;
  /** Called each time a turn is free: the lowest rank is next. Parties take turns within a rank. */
  rank?: () => number;
  isLong?: boolean;
}

/** Work that has begun. */
export interface Turn {
  /** Makes it long work. @returns false when others wait, or when enough long work is under way */
  becomeLong(): boolean;
}

interface Waiting {
  begin(turn: RunningTurn): void;
  refuse(error: unknown): void;
  rank(): number;
  isLong: boolean;
}

/** A turn comes within a second or so. */
const usualRefusals: TurnRefusals = {
  tooMany: () => new DomainError('rate_limited', { retry_after_seconds: 1 }),
  full: () => new DomainError('service_unavailable'),
};

class RunningTurn implements Turn {
  isLong: boolean;
  readonly #mayBeLong: () => boolean;

  constructor(isLong: boolean, mayBeLong: () => boolean) {
    this.isLong = isLong;
    this.#mayBeLong = mayBeLong;
  }

  becomeLong(): boolean {
    this.isLong ||= this.#mayBeLong();
    return this.isLong;
  }
}

/**
 * Limits parallel work and shares it fairly. The lowest rank is next; within a rank parties take turns, not their requests. So a party
 * waits for at most one piece of work of each other party.
 *
 * When all waiting places are taken, a newcomer may take the place of the last party: by rank, then by its number of waiting requests. That
 * party's last request is refused if its rank is worse, or if it has two more than the newcomer.
 */
export class FairTurns<Party extends string | number> {
  readonly #limits: Required<TurnLimits>;
  readonly #refusals: TurnRefusals;
  /** Work in progress, by party. */
  readonly #running = new Map<Party, Set<RunningTurn>>();
  #waitingInAll = 0;
  /** Parties that wait, from the next to the last to be served. */
  readonly #parties = new Map<Party, Waiting[]>();

  constructor(limits: TurnLimits, refusals: TurnRefusals = usualRefusals) {
    this.#limits = { atOnceEach: limits.atOnce, atOnceLong: limits.atOnce, ...limits };
    this.#refusals = refusals;
  }

  /**
   * Runs the work when its turn has come.
   * @throws the reason of `signal`; the error of `tooMany` when the party has too much waiting; that of `full` when too many parties wait
   */
  async take<Result>(party: Party, work: (turn: Turn) => Promise<Result>, options: TurnOptions = {}): Promise<Result> {
    const { signal, rank = () => 0, isLong = false } = options;
    signal?.throwIfAborted();
    const turn = this.#mayBegin(party, isLong) ? this.#begin(party, isLong) : await this.#wait(party, { rank, isLong }, signal);
    try {
      return await work(turn);
    } finally {
      this.#end(party, turn);
    }
  }

  /** Refuses all waiting work; started work continues. */
  refuseWaiting(error: Error): void {
    const all = [...this.#parties.values()].flat();
    this.#parties.clear();
    this.#waitingInAll = 0;
    for (const waiting of all) waiting.refuse(error);
  }

  #mayBegin(party: Party, isLong: boolean): boolean {
    return (
      this.#countRunning() < this.#limits.atOnce &&
      (this.#running.get(party)?.size ?? 0) < this.#limits.atOnceEach &&
      (!isLong || this.#mayBeLong())
    );
  }

  #countRunning(): number {
    return this.#running.values().reduce((sum, turns) => sum + turns.size, 0);
  }

  #mayBeLong(): boolean {
    const turns = [...this.#running.values()].flatMap((each) => [...each]);
    return turns.filter(({ isLong }) => isLong).length < this.#limits.atOnceLong;
  }

  #begin(party: Party, isLong: boolean): RunningTurn {
    const turn = new RunningTurn(isLong, () => this.#waitingInAll === 0 && this.#mayBeLong());
    const turns = this.#running.get(party);
    if (turns) turns.add(turn);
    else this.#running.set(party, new Set([turn]));
    return turn;
  }

  #end(party: Party, turn: RunningTurn): void {
    const turns = this.#running.get(party);
    turns?.delete(turn);
    if (turns?.size === 0) this.#running.delete(party);
    this.#beginNext();
  }

  async #wait(party: Party, { rank, isLong }: Pick<Waiting, 'rank' | 'isLong'>, signal: AbortSignal | undefined): Promise<RunningTurn> {
    this.#makeRoom(party, rank());
    const { promise, resolve, reject } = Promise.withResolvers<RunningTurn>();
    const waiting: Waiting = { begin: resolve, refuse: reject, rank, isLong };
    const others = this.#parties.get(party);
    if (others) others.push(waiting);
    else this.#parties.set(party, [waiting]);
    this.#waitingInAll += 1;
    const giveUp = () => {
      if (this.#remove(party, waiting)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  #makeRoom(party: Party, rank: number): void {
    const own = this.#parties.get(party)?.length ?? 0;
    if (own >= this.#limits.waitingEach) throw this.#refusals.tooMany();
    if (this.#waitingInAll < this.#limits.waitingInAll) return;
    const lasts = [...this.#parties].flatMap(([of, theirs]) => {
      const last = theirs.at(-1);
      return last ? [{ of, last, rank: last.rank(), count: theirs.length }] : [];
    });
    const worst = lasts.reduce((most, each) =>
      each.rank > most.rank || (each.rank === most.rank && each.count > most.count) ? each : most,
    );
    if (worst.rank < rank || (worst.rank === rank && worst.count < own + 2)) throw this.#refusals.full();
    this.#remove(worst.of, worst.last);
    worst.last.refuse(this.#refusals.tooMany());
  }

  /** The next begins here and not when it hears of it, so that no newcomer takes its place in between. */
  #beginNext(): void {
    let next: { party: Party; waiting: Waiting; rank: number } | undefined;
    for (const [party, theirs] of this.#parties) {
      const waiting = theirs.find(({ isLong }) => this.#mayBegin(party, isLong));
      const rank = waiting?.rank() ?? Infinity;
      if (waiting && (!next || rank < next.rank)) next = { party, waiting, rank };
    }
    if (!next) return;
    const { party, waiting } = next;
    const theirs = this.#parties.get(party) ?? [];
    this.#remove(party, waiting);
    // To the end of the order, since it was served now.
    if (theirs.length > 0) {
      this.#parties.delete(party);
      this.#parties.set(party, theirs);
    }
    waiting.begin(this.#begin(party, waiting.isLong));
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
