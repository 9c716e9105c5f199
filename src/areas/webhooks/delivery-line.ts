/** Deliveries under way at once, of different subjects; and of those, of subjects that have failed before (WHK-4). */
const [mostAtOnce, mostRetries] = [4, 2];

/** What decides the turn of a waiting delivery. */
interface InLine {
  subject: string;
  isTest: boolean;
  /** Since when its subject fails; null while it goes on. */
  failingSince: Date | null;
}

/** A delivery under way, and those of its subject that follow it. */
interface Place<Delivery> {
  isRetry: boolean;
  isOfThisRound: boolean;
  rest: Delivery[];
}

/**
 * The deliveries that may be sent now (WHK-4). Those of one subject go one after the other; a failed one ends its subject's turn. Subjects
 * that have failed before leave two places to the others. A test needs no place.
 */
export class DeliveryLine<Delivery extends InLine> {
  #tests: Delivery[] = [];
  #ready: Delivery[][] = [];
  #retries: Delivery[][] = [];
  /** By subject. */
  readonly #underWay = new Map<string, Place<Delivery>>();

  /** Replaces what waits. Deliveries that are under way go on, and what follows them is read anew. @param waiting in order */
  load(waiting: readonly Delivery[]): void {
    this.hold();
    for (const place of this.#underWay.values()) place.isOfThisRound = false;
    this.#tests = waiting.filter(({ isTest }) => isTest);
    const queues = [...Map.groupBy(waiting, (delivery) => (delivery.isTest ? null : delivery.subject))];
    for (const [subject, queue] of queues)
      if (subject !== null && !this.#underWay.has(subject)) (queue[0]?.failingSince ? this.#retries : this.#ready).push(queue);
  }

  /** Lets nothing more go until the next `load`. */
  hold(): void {
    [this.#tests, this.#ready, this.#retries] = [[], [], []];
    for (const place of this.#underWay.values()) place.rest = [];
  }

  /** Takes the next delivery that may go now; null when none may. */
  next(): Delivery | null {
    const test = this.#tests.shift();
    if (test !== undefined) return test;
    if (this.#underWay.size >= mostAtOnce) return null;
    const retries = this.#underWay.values().filter(({ isRetry }) => isRetry);
    const isRetry = this.#retries.length > 0 && [...retries].length < mostRetries;
    const [delivery, ...rest] = (isRetry ? this.#retries : this.#ready).shift() ?? [];
    if (delivery === undefined) return null;
    this.#underWay.set(delivery.subject, { isRetry, isOfThisRound: true, rest });
    return delivery;
  }

  /** @param goesOn lets the next delivery of the subject go */
  ended({ subject, isTest }: Delivery, goesOn: boolean): void {
    const place = isTest ? undefined : this.#underWay.get(subject);
    if (place === undefined) return;
    this.#underWay.delete(subject);
    if (goesOn && place.rest.length > 0) this.#ready.push(place.rest);
  }

  /** Returns whether anything of the last `load` waits or is under way. */
  get isBusyWithRound(): boolean {
    return this.#ready.length + this.#retries.length > 0 || this.#underWay.values().some(({ isOfThisRound }) => isOfThisRound);
  }
}
