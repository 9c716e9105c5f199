import { isPublished } from './change-records.ts';
import { type AuditRow, type Change, ChangeReaders, type Readers } from './change-readers.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';

/** A change in the log of the registry, as an administrator reads it. */
export interface Logged {
  change: Change;
  /** Null while the auditor does not know whose record it is. */
  readers: Readers | null;
  fact: AuditRow | null;
  /** By the machine's clock: it was written after `after`, and read at `readAt`. */
  after: number;
  readAt: number;
}

/** Of the audit: a step rarely writes more rows. */
const pageSize = 40;

/** A place in the log to read on from, with the number of changes before it. */
interface Mark {
  cursor: string;
  index: number;
  at: Date;
}

const isSameFact = ({ action, subject }: AuditRow, { change: { type, subject: record } }: Logged) =>
  type === `registry.${action}.v1` && record === `${subject.kind}/${subject.id}`;

/** All facts and all changes since the beginning of the life, each change with its fact and its readers (CHG-1, CHG-2, CHG-3). */
export class ChangeLog {
  readonly logged: Logged[] = [];
  readonly marks: Mark[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #rows = new Set<number>();
  /** Facts that are no change yet. */
  #open: AuditRow[] = [];
  /** The last fact of each record and request in the log, of those before `#ordered`. */
  readonly #latest = new Map<string, number>();
  #ordered = 0;
  #taken = 0;
  /** Whose the changes are. */
  readonly readers: ChangeReaders;
  /** Requests that decide on each record separately, each in a transaction of its own (NAT-7). */
  readonly separate = new Set<string>();
  #cursor = '';
  #readAt = 0;
  #cursorAt = new Date(0);
  #following: Promise<void> | null = null;

  constructor(model: Model) {
    this.readers = new ChangeReaders(model);
  }

  /** Begins: earlier facts and changes do not count. */
  async begin(inquiry: Inquiry): Promise<void> {
    const rows = (await inquiry.asAdministrator('GET /admin/audit', { query: '?category=action&limit=100' })).data as AuditRow[];
    for (const { id } of rows) this.#rows.add(id);
    await this.#move(inquiry, '');
  }

  indexOf(id: string): number {
    return this.#indexes.get(id) ?? -1;
  }

  /** Changes since the last call. */
  takeNew(): Logged[] {
    const fresh = this.logged.slice(this.#taken);
    this.#taken = this.logged.length;
    return fresh;
  }

  /** Reads on until each fact is a change and each change has its fact. @throws {Finding} */
  async follow(inquiry: Inquiry): Promise<void> {
    this.#following ??= inquiry.eventually(() => this.#read(inquiry)).finally(() => (this.#following = null));
    await this.#following;
  }

  async #read(inquiry: Inquiry): Promise<void> {
    await this.#readAudit(inquiry);
    const from = this.logged.length;
    await this.#readChanges(inquiry);
    for (const entry of this.logged.slice(from)) this.#join(entry);
    for (const entry of this.logged.filter(({ fact }) => fact === null)) await this.#findFact(inquiry, entry);
    const [missing] = this.#open;
    if (missing) {
      const { action, subject } = missing;
      throw new Finding(`the fact ${action} of ${subject.kind}/${subject.id} is a change (CHG-1)`, 'a change', 'none');
    }
    this.#askOrder(inquiry);
  }

  async #readAudit(inquiry: Inquiry): Promise<void> {
    const found: AuditRow[] = [];
    for (let page = 1; ; page += 1) {
      const { data } = await inquiry.asAdministrator('GET /admin/audit', { query: `?category=action&limit=${pageSize}&page=${page}` });
      const rows = data as AuditRow[];
      found.push(...rows);
      if (rows.length < pageSize || rows.some(({ id }) => this.#rows.has(id))) break;
    }
    this.#take(found);
  }

  #take(rows: readonly AuditRow[]): void {
    for (const row of rows.toSorted((left, right) => left.id - right.id)) {
      if (this.#rows.has(row.id)) continue;
      this.#rows.add(row.id);
      if (isPublished(row.action)) this.#open.push(row);
    }
  }

  async #readChanges(inquiry: Inquiry): Promise<void> {
    for (;;) {
      const after = this.#readAt;
      const { data } = await this.#move(inquiry, `?after=${encodeURIComponent(this.#cursor)}&limit=100`);
      for (const change of data as Change[]) {
        inquiry.same(`the change ${change.id} comes once (CHG-2)`, false, this.#indexes.has(change.id));
        this.#indexes.set(change.id, this.logged.length);
        this.logged.push({ change, readers: null, fact: null, after, readAt: Date.now() });
      }
      if (this.marks.at(-1)?.index === this.logged.length) this.marks.pop();
      this.marks.push({ cursor: this.#cursor, index: this.logged.length, at: this.#cursorAt });
      if (data.length < 100) return;
    }
  }

  async #move(inquiry: Inquiry, query: string): Promise<Exchange> {
    const at = inquiry.now;
    const begunAt = Date.now();
    const answer = await inquiry.asAdministrator('GET /changes', { query });
    this.#cursor = answer.meta.next;
    this.#cursorAt = at;
    this.#readAt = begunAt;
    return answer;
  }

  #join(entry: Logged): void {
    const at = this.#open.findIndex((row) => isSameFact(row, entry));
    const [fact] = at < 0 ? [] : this.#open.splice(at, 1);
    if (!fact) return;
    entry.fact = fact;
    entry.readers = this.readers.of(entry.change, fact);
  }

  /** A fact that committed after later ones stands below them in the audit. */
  async #findFact(inquiry: Inquiry, entry: Logged): Promise<void> {
    const { subject, type } = entry.change;
    const { data } = await inquiry.asAdministrator('GET /admin/audit', { query: `?category=action&limit=100&subject=${subject}` });
    this.#take(data as AuditRow[]);
    this.#join(entry);
    if (entry.fact === null) throw new Finding(`the change ${type} of ${subject} has its fact, once (CHG-1)`, 'a fact', 'none');
  }

  /** The changes of one request, and those of one record, stand in the order of their facts (CHG-1, CHG-2). */
  #askOrder(inquiry: Inquiry): void {
    for (const { fact, change } of this.logged.slice(this.#ordered)) {
      if (!fact) continue;
      const isOne = fact.actor_id !== null && !this.separate.has(fact.request_id);
      for (const line of [change.subject, ...(isOne ? [fact.request_id] : [])]) {
        const isAfter = fact.id > (this.#latest.get(line) ?? 0);
        inquiry.same(`the change ${change.type} of ${change.subject} stands in the order of its facts (CHG-1, CHG-2)`, true, isAfter);
        this.#latest.set(line, fact.id);
      }
    }
    this.#ordered = this.logged.length;
  }
}
