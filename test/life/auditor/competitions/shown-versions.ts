/** Versions of records that a decision or a correction may name, by `kind/id` (REV-5, APP-6, PRO-7). */
export class ShownVersions {
  readonly #current = new Map<string, number | string>();
  readonly #former = new Map<string, Set<number | string>>();

  /** An answer showed the record. */
  shown(record: string, version: number | string | undefined): void {
    if (version === undefined || this.#current.get(record) === version) return;
    this.changed(record);
    this.#current.set(record, version);
  }

  /** The record has changed: what was shown is stale, and the new version is not known yet. */
  changed(record: string): void {
    const before = this.#current.get(record);
    if (before === undefined) return;
    const former = this.#former.get(record) ?? new Set();
    this.#former.set(record, former.add(before));
    this.#current.delete(record);
  }

  current(record: string): number | string | undefined {
    return this.#current.get(record);
  }

  /** Stale versions that a clerk may still have on the screen. */
  former(record: string): (number | string)[] {
    return [...(this.#former.get(record) ?? [])];
  }

  /** Whether a given version is the present one; null when the auditor cannot tell. */
  isCurrent(record: string, given: number | string): boolean | null {
    if (this.#former.get(record)?.has(given)) return false;
    return this.#current.get(record) === given ? true : null;
  }
}
