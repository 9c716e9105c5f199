/** How far a caller has got in its present window. */
export interface WindowState {
  /** With this one. */
  count: number;
  /** Until the window ends, milliseconds. */
  restMs: number;
}

interface Cell {
  count: number;
  endsAt: number;
  /** Cells of about one count lie together: the level is the binary logarithm of it. */
  level: number;
}

const droppedAtOnce = 50;

/**
 * Counts by key in windows of one length, in memory; a window begins with the first of a key. It holds `maxKeys` at the most and
 * no timers: what has ended is dropped as others come.
 *
 * At the bound a newcomer takes the place of one of those that have counted least, the longest known of them. So a flood of
 * other keys pushes out its own, each seen once or twice, and never the count of a caller that is at its limit: to lose that, each
 * of `maxKeys` others would have to count about as far within the window. A caller of few requests may be forgotten, and then
 * begins anew, to its advantage.
 */
export class WindowCounts {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #now: () => number;
  /** In the order in which the windows began, which is that in which they end. */
  readonly #cells = new Map<string, Cell>();
  readonly #levels: Set<string>[] = [];

  /** @param now milliseconds of a clock that nobody sets */
  constructor(windowMs: number, maxKeys: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  /** Keys held at present. */
  get size(): number {
    return this.#cells.size;
  }

  /** Counts one more for a key. */
  add(key: string): WindowState {
    const now = this.#now();
    this.#dropEnded(now);
    let cell = this.#cells.get(key);
    if (cell && cell.endsAt <= now) {
      this.#drop(key, cell);
      cell = undefined;
    }
    if (cell) {
      cell.count += 1;
      this.#lift(key, cell);
    } else {
      if (this.#cells.size >= this.#maxKeys) this.#dropLeast();
      cell = { count: 1, endsAt: now + this.#windowMs, level: 0 };
      this.#cells.set(key, cell);
      this.#levelOf(0).add(key);
    }
    return { count: cell.count, restMs: cell.endsAt - now };
  }

  #lift(key: string, cell: Cell): void {
    const level = 31 - Math.clz32(cell.count);
    if (level === cell.level) return;
    this.#levelOf(cell.level).delete(key);
    this.#levelOf(level).add(key);
    cell.level = level;
  }

  #levelOf(level: number): Set<string> {
    return (this.#levels[level] ??= new Set());
  }

  /** Some of them: whoever comes after a flood does not pay for all of it. */
  #dropEnded(now: number): void {
    let dropped = 0;
    for (const [key, cell] of this.#cells) {
      if (cell.endsAt > now || dropped >= droppedAtOnce) return;
      this.#drop(key, cell);
      dropped += 1;
    }
  }

  #dropLeast(): void {
    for (const level of this.#levels) {
      for (const key of level) {
        const cell = this.#cells.get(key);
        if (cell) this.#drop(key, cell);
        return;
      }
    }
  }

  #drop(key: string, cell: Cell): void {
    this.#cells.delete(key);
    this.#levelOf(cell.level).delete(key);
  }
}
