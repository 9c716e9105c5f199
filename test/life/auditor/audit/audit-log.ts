import type { Inquiry } from '../inquiry.ts';

/** A row of the audit, as administrators read it. */
export interface AuditRow {
  id: number;
  action: string;
  actor_id: number | null;
  impersonated_user_id: number | null;
  subject: { kind: string; id: string };
  ip: string | null;
  request_id: string;
  at: string;
  data: Record<string, unknown>;
}

/** A step rarely writes more rows. */
const pageSize = 40;
/** For how many readings a missing number may still be a row that is not committed yet. */
const readingsOfGap = 4;

/** Reads the audit to its newest row, each row once. A number that is missing is looked for again, because rows commit in any order. */
export class AuditLog {
  #newest = 0;
  /** Missing numbers, with the readings since. */
  readonly #gaps = new Map<number, number>();

  /** Begins to read from now on. */
  async begin({ asAdministrator }: Inquiry): Promise<void> {
    const [newest] = (await asAdministrator('GET /admin/audit', { query: '?category=action&limit=1' })).data as AuditRow[];
    this.#newest = newest?.id ?? 0;
  }

  /** @returns the rows since the last reading, oldest first */
  async read({ asAdministrator }: Inquiry): Promise<AuditRow[]> {
    const oldest = Math.min(this.#newest + 1, ...this.#gaps.keys());
    const found = new Map<number, AuditRow>();
    for (let page = 1; ; page += 1) {
      const rows = (await asAdministrator('GET /admin/audit', { query: `?category=action&page=${page}&limit=${pageSize}` }))
        .data as AuditRow[];
      for (const row of rows) if (row.id > this.#newest || this.#gaps.has(row.id)) found.set(row.id, row);
      if (rows.length < pageSize || rows.slice(-10).every(({ id }) => id < oldest)) break;
    }
    this.#noteGaps(found);
    return [...found.values()].toSorted((left, right) => left.id - right.id);
  }

  #noteGaps(found: ReadonlyMap<number, AuditRow>): void {
    for (const [id, readings] of this.#gaps)
      if (found.has(id) || readings >= readingsOfGap) this.#gaps.delete(id);
      else this.#gaps.set(id, readings + 1);
    const newest = Math.max(this.#newest, ...found.keys());
    for (let id = this.#newest + 1; id < newest; id += 1) if (!found.has(id)) this.#gaps.set(id, 0);
    this.#newest = newest;
  }
}
