import type { ChangeLog, Logged } from './change-log.ts';
import type { Change } from './change-readers.ts';
import { Finding } from '../finding.ts';

/** Whose changes a reader sees: those of one account, or all (CHG-3). */
export type Audience = number | 'all';

/** Whether the change is one of the audience's; null while the auditor does not know. */
export function isOf({ readers }: Pick<Logged, 'readers'>, audience: Audience): boolean | null {
  if (audience === 'all') return true;
  return readers && (readers.ownerId === audience || readers.organizerId === audience);
}

/** A reader that reads on from its cursor: it receives exactly the changes of its audience, each once and in order (CHG-2, CHG-3). */
export class ChangeReading {
  /** Of the next page. */
  cursor: string;
  readonly #name: string;
  /** By the machine's clock. Whether it receives what was written in the moment before is open. */
  readonly #begunAt = Date.now();
  /** What may have been written before it began. */
  readonly #open = new Set<string>();
  #received: Change[] = [];
  /** The changes before it are settled. */
  #next: number;

  /** @param next number of changes before the first that it may receive */
  constructor(name: string, cursor: string, next: number) {
    this.#name = name;
    this.cursor = cursor;
    this.#next = next;
  }

  /** Takes a page over. */
  take(changes: readonly Change[], cursor: string): void {
    this.#received.push(...changes);
    this.cursor = cursor;
  }

  /**
   * Compares what came with the log.
   * @param complete number of changes that the registry had before the page was read; 0 after a full page
   * @throws {Finding} for a change that is left out, comes twice, too early or to the wrong reader
   */
  settle(log: ChangeLog, audience: Audience, complete: number): void {
    this.#received = this.#received.filter(({ id }) => {
      const entry = log.logged[log.indexOf(id)];
      return !this.#open.delete(id) && (entry === undefined || isOf(entry, audience) !== null);
    });
    for (; this.#next < log.logged.length; this.#next += 1) {
      const entry = log.logged[this.#next];
      const [first] = this.#received;
      if (!entry) return;
      if (first?.id === entry.change.id && isOf(entry, audience) === true) {
        compare(this.#name, entry.change, first);
        this.#received.shift();
      } else if (isOf(entry, audience) === true) {
        if (entry.after > this.#begunAt) break;
        this.#open.add(entry.change.id);
      }
    }
    const expected = log.logged[this.#next]?.change ?? 'nothing more';
    const [stranger] = this.#received;
    if (stranger && log.indexOf(stranger.id) >= 0)
      throw new Finding(`${this.#name} reads the changes of its records alone, in order, each once (CHG-2, CHG-3)`, expected, stranger);
    if (this.#next < Math.min(complete, log.logged.length))
      throw new Finding(`${this.#name} reads every change of its records (CHG-2, CHG-3)`, expected, 'nothing');
  }
}

/** Readers see one change alike, but for the address where they find the record. @throws {Finding} */
export function compare(name: string, known: Change, read: Change): void {
  const [expected, seen] = [known, read].map((change) => JSON.stringify({ ...change, data: { ...change.data, url: '' } }));
  if (expected !== seen) throw new Finding(`${name} sees a change as others do (CHG-5)`, expected, seen);
  const { url } = read.data;
  if (!URL.canParse(url)) throw new Finding(`${name} finds the record of a change (CHG-5)`, 'an address', url);
}
