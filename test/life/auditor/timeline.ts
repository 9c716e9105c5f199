/** For how long a record may have had a value: all instants are of the registry's clock, milliseconds. */
interface Span<Value> {
  value: Value;
  /** The last instant at which it certainly had another value. */
  from: number;
  /** The first instant at which it certainly has another value; null while it lasts. */
  until: number | null;
  /** When it was noted, by the machine's clock. */
  notedAt: number;
}

/** The auditor's clock is read a moment after the registry's, which counts whole seconds ahead of the machine's. */
const toleranceMs = 2000;

/** Which value each record had when, from what the auditor knew before and after each request. */
export class Timeline<Value> {
  readonly #spans = new Map<number | string, Span<Value>[]>();
  readonly #first: Value;
  #notedAt = 0;

  /** @param first of every record before it is known */
  constructor(first: Value) {
    this.#first = first;
  }

  /** Notes all present values. */
  note(values: Iterable<[number | string, Value]>, now: Date): void {
    const at = now.getTime();
    for (const [key, value] of values) {
      const spans = this.#spans.get(key) ?? [{ value: this.#first, from: 0, until: null, notedAt: Date.now() }];
      this.#spans.set(key, spans);
      const last = spans.at(-1);
      if (!last || last.value === value) continue;
      last.until = at;
      spans.push({ value, from: this.#notedAt, until: null, notedAt: Date.now() });
    }
    this.#notedAt = at;
  }

  /** The values that a record may have had between two instants. */
  between(key: number | string, from: number, until: number): Set<Value> {
    const spans = (this.#spans.get(key) ?? []).filter(
      (span) => span.from <= until + toleranceMs && (span.until ?? Number.POSITIVE_INFINITY) >= from - toleranceMs,
    );
    return new Set(spans.length === 0 ? [this.#first] : spans.map(({ value }) => value));
  }

  /** The present value, and since when by the machine's clock it was seen. */
  present(key: number | string): { value: Value; notedAt: number } {
    return this.#spans.get(key)?.at(-1) ?? { value: this.#first, notedAt: 0 };
  }
}
