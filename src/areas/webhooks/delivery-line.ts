/** Deliveries of a webhook that are under way or hold their subject after a failure, at most (WHK-4). */
const mostAtOnce = 4;

/** What decides the turn of a waiting delivery. */
interface InLine {
  subject: string;
  isTest: boolean;
  nextTryAt: Date;
}

/**
 * The waiting deliveries of a webhook, in the order of their changes (WHK-4). Those of one subject go one after the other: a failed one
 * holds back the later ones of its subject, and keeps one of four places. A test needs no place.
 */
export class DeliveryLine<Delivery extends InLine> {
  readonly #waiting: Delivery[];
  readonly #now: Date;
  /** Subjects of deliveries that are under way or have failed. */
  readonly #taken = new Set<string>();

  /** @param waiting in order, tests first */
  constructor(waiting: readonly Delivery[], now: Date) {
    this.#waiting = [...waiting];
    this.#now = now;
  }

  /** Returns whether a delivery may go now. */
  hasNext(): boolean {
    return this.#indexOfNext() >= 0;
  }

  /** Takes the next delivery that may go now; null when none may. */
  next(): Delivery | null {
    const index = this.#indexOfNext();
    const [delivery] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (delivery === undefined) return null;
    this.#taken.add(delivery.subject);
    return delivery;
  }

  /** Lets the next delivery of the subject go. */
  delivered({ subject }: Delivery): void {
    this.#taken.delete(subject);
  }

  /** Returns when the earliest failed delivery is tried again, of those that hold a place; null without one. */
  nextTryAt(): Date | null {
    const tries = this.#waiting.filter(({ subject, nextTryAt }) => this.#taken.has(subject) && nextTryAt > this.#now);
    return tries.map(({ nextTryAt }) => nextTryAt).toSorted((left, right) => left.getTime() - right.getTime())[0] ?? null;
  }

  #indexOfNext(): number {
    for (const [index, { subject, isTest, nextTryAt }] of this.#waiting.entries()) {
      if (this.#taken.has(subject)) continue;
      if (!isTest && this.#taken.size >= mostAtOnce) return -1;
      if (nextTryAt <= this.#now) return index;
      this.#taken.add(subject);
    }
    return -1;
  }
}
