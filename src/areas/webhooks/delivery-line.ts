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

  /** Takes the next delivery that may go now; null when none may. */
  next(): Delivery | null {
    for (const [index, delivery] of this.#waiting.entries()) {
      const { subject, isTest, nextTryAt } = delivery;
      if (this.#taken.has(subject)) continue;
      if (!isTest && this.#taken.size >= mostAtOnce) return null;
      this.#taken.add(subject);
      if (nextTryAt > this.#now) continue;
      this.#waiting.splice(index, 1);
      return delivery;
    }
    return null;
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
}
