import { LRUCache } from 'lru-cache';

/** A caller's count in its present window. */
export interface WindowState {
  count: number;
  /** Milliseconds until the window ends. */
  restMs: number;
}

interface Cell {
  count: number;
  endsAt: number;
}

/** From this count on, new callers cannot evict a caller. */
const frequentCount = 10;
const droppedAtOnce = 50;

/**
 * Counts by key in windows of one length, in memory; a window begins with a key's first count. Holds at most `maxKeys` keys.
 *
 * Keys with small counts have half of the room, the others the other half, and each half evicts the least recently used key. So a flood
 * of new keys evicts its own keys and not a caller at its limit. An evicted caller starts again at 0, to its advantage.
 */
export class WindowCounts {
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #rare: LRUCache<string, Cell>;
  readonly #frequent: LRUCache<string, Cell>;

  /** @param now milliseconds of a monotonic clock */
  constructor(windowMs: number, maxKeys: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#now = now;
    // `max` would reserve the memory of all keys at the start.
    const ofSize = (maxSize: number) => new LRUCache<string, Cell>({ maxSize, sizeCalculation: () => 1 });
    this.#rare = ofSize(Math.ceil(maxKeys / 2));
    this.#frequent = ofSize(Math.floor(maxKeys / 2));
  }

  /** Number of keys held. */
  get size(): number {
    return this.#rare.size + this.#frequent.size;
  }

  /** Returns a key's count in its current window. */
  read(key: string): WindowState {
    const now = this.#now();
    const cell = this.#frequent.get(key) ?? this.#rare.get(key);
    return cell && cell.endsAt > now ? { count: cell.count, restMs: cell.endsAt - now } : { count: 0, restMs: 0 };
  }

  /** Adds `by`, a whole number, to a key's count. */
  add(key: string, by = 1): WindowState {
    const now = this.#now();
    this.#dropEnded(now);
    const { count, restMs } = this.read(key);
    const cell = { count: count + by, endsAt: now + (restMs || this.#windowMs) };
    const [home, other] = cell.count >= frequentCount ? [this.#frequent, this.#rare] : [this.#rare, this.#frequent];
    other.delete(key);
    home.set(key, cell);
    return { count: cell.count, restMs: cell.endsAt - now };
  }

  /** Drops a few expired keys at a time, so that one request does not pay for a whole flood. */
  #dropEnded(now: number): void {
    for (const keys of [this.#rare, this.#frequent]) {
      for (const key of keys.rkeys().take(droppedAtOnce)) {
        if ((keys.peek(key)?.endsAt ?? 0) > now) break;
        keys.delete(key);
      }
    }
  }
}
