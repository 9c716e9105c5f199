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
 * Keys in order of arrival. A persistent iterator finds the oldest, here and in the cells: a new iterator over a set or map with many
 * deleted entries
 * at its front is slow (50 microseconds among 50,000).
 */
class Level {
  readonly #keys = new Set<string>();
  #walk: Iterator<string> | null = null;
  #changes = 0;

  add(key: string): void {
    this.#keys.add(key);
    this.#noteChange();
  }

  delete(key: string): void {
    this.#keys.delete(key);
    this.#noteChange();
  }

  /** Takes out the one that came first. */
  takeFirst(): string | undefined {
    if (this.#keys.size === 0) return undefined;
    this.#changes = 0;
    this.#walk ??= this.#keys.values();
    let next = this.#walk.next();
    // It had come to an end before these came.
    if (next.done) {
      this.#walk = this.#keys.values();
      next = this.#walk.next();
    }
    const key: string | undefined = next.value;
    if (key !== undefined) this.#keys.delete(key);
    return key;
  }

  /** An idle iterator would keep every outgrown table of the set in memory. */
  #noteChange(): void {
    this.#changes += 1;
    if (this.#changes > longestStand) this.#walk = null;
  }
}

const longestStand = 1000;

/**
 * Counts by key in windows of one length, in memory; a window begins with a key's first count. Holds at most `maxKeys` and no timers:
 * expired keys
 * are dropped as others arrive.
 *
 * At the bound a new key replaces the oldest of the least counted ones. So a flood of other keys evicts its own, each seen once or twice,
 * and not a
 * caller at its limit: for that, each of `maxKeys` keys would have to count about as far within the window. A caller of few requests may be
 * evicted and
 * starts again, to its advantage.
 */
export class WindowCounts {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #now: () => number;
  /** In the order in which the windows began, which is that in which they end. */
  readonly #cells = new Map<string, Cell>();
  readonly #levels: Level[] = [];
  #walk = this.#cells.entries();
  /** Position of the iterator: everything before it is dropped. */
  #first: [string, Cell] | undefined;

  /** @param now milliseconds of a monotonic clock */
  constructor(windowMs: number, maxKeys: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  /** Keys held at present. */
  get size(): number {
    return this.#cells.size;
  }

  /** Returns a key's count in its current window. */
  read(key: string): WindowState {
    const now = this.#now();
    const cell = this.#cells.get(key);
    return cell && cell.endsAt > now ? { count: cell.count, restMs: cell.endsAt - now } : { count: 0, restMs: 0 };
  }

  /** Counts one more for a key, or as many as `by` says: whole numbers. */
  add(key: string, by = 1): WindowState {
    const now = this.#now();
    this.#dropEnded(now);
    let cell = this.#cells.get(key);
    if (cell && cell.endsAt <= now) {
      this.#drop(key, cell);
      cell = undefined;
    }
    if (!cell) {
      if (this.#cells.size >= this.#maxKeys) this.#dropLeast();
      cell = { count: 0, endsAt: now + this.#windowMs, level: 0 };
      this.#cells.set(key, cell);
      this.#levelOf(0).add(key);
    }
    cell.count += by;
    this.#lift(key, cell);
    return { count: cell.count, restMs: cell.endsAt - now };
  }

  #lift(key: string, cell: Cell): void {
    const level = Math.max(0, 31 - Math.clz32(cell.count));
    if (level === cell.level) return;
    this.#levelOf(cell.level).delete(key);
    this.#levelOf(level).add(key);
    cell.level = level;
  }

  #levelOf(level: number): Level {
    return (this.#levels[level] ??= new Level());
  }

  /** Drops a few at a time, so that one request does not pay for a whole flood. */
  #dropEnded(now: number): void {
    for (let dropped = 0; dropped < droppedAtOnce; dropped += 1) {
      const oldest = this.#oldest();
      if (!oldest || oldest[1].endsAt > now) return;
      this.#drop(...oldest);
    }
  }

  #oldest(): [string, Cell] | undefined {
    while (!this.#first || this.#cells.get(this.#first[0]) !== this.#first[1]) {
      if (this.#cells.size === 0) return undefined;
      let next = this.#walk.next();
      if (next.done) {
        this.#walk = this.#cells.entries();
        next = this.#walk.next();
      }
      this.#first = next.value;
    }
    return this.#first;
  }

  #dropLeast(): void {
    for (const level of this.#levels) {
      const key = level.takeFirst();
      if (key === undefined) continue;
      this.#cells.delete(key);
      return;
    }
  }

  #drop(key: string, cell: Cell): void {
    this.#cells.delete(key);
    this.#levelOf(cell.level).delete(key);
  }
}
