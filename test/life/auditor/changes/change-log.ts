import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';

/** A change as a reader sees it: a CloudEvent (CHG-5). */
export interface Change {
  specversion: string;
  id: string;
  source: string;
  type: string;
  subject: string;
  time: string;
  datacontenttype: string;
  data: { id: number | string; status?: string; url: string };
}

/** A row of the audit that is no read. */
export interface AuditRow {
  id: number;
  action: string;
  actor_id: number | null;
  impersonated_user_id: number | null;
  subject: { kind: string; id: string };
  request_id: string;
}

/** Who may read a change beside administrators; null is nobody. */
export interface Readers {
  ownerId: number | null;
  organizerId: number | null;
}

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

/** A place in the log to read on from, with the number of changes before it. */
interface Mark {
  cursor: string;
  index: number;
  at: Date;
}

interface Transfer {
  profileId: number;
  from: number;
  to: number;
  requestId: string;
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
  /** By type of change and record: the account that made the record. */
  readonly #makers = new Map<string, number>();
  /** Owners of profiles as of the end of the log. */
  readonly #owners = new Map<number, number>();
  readonly #transfers: Transfer[] = [];
  /** The last fact of each record and request in the log, of those before `#ordered`. */
  readonly #latest = new Map<string, number>();
  #ordered = 0;
  #taken = 0;
  readonly #model: Model;
  #cursor = '';
  #readAt = 0;
  #cursorAt = new Date(0);
  #following: Promise<void> | null = null;

  constructor(model: Model) {
    this.#model = model;
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

  /** An administrator gives a profile to another account. */
  transfers(transfer: Transfer): void {
    this.#transfers.push(transfer);
  }

  /** A record belongs to an account and stays with it. */
  belongs(subject: string, accountId: number): void {
    this.#makers.set(subject, accountId);
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
      const { data } = await inquiry.asAdministrator('GET /admin/audit', { query: `?category=action&limit=100&page=${page}` });
      const rows = data as AuditRow[];
      found.push(...rows);
      if (rows.length < 100 || rows.some(({ id }) => this.#rows.has(id))) break;
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
    entry.readers = this.#readersOf(entry, fact);
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
      for (const line of [change.subject, ...(fact.actor_id === null ? [] : [fact.request_id])]) {
        const isAfter = fact.id > (this.#latest.get(line) ?? 0);
        inquiry.same(`the change ${change.type} of ${change.subject} stands in the order of its facts (CHG-1, CHG-2)`, true, isAfter);
        this.#latest.set(line, fact.id);
      }
    }
    this.#ordered = this.logged.length;
  }

  #readersOf(
    {
      change: {
        type,
        subject,
        data: { status },
      },
    }: Logged,
    fact: AuditRow,
  ): Readers | null {
    const record = type.split('.')[1] ?? '';
    const id = fact.subject.id;
    if (administratorsOnly.has(record)) return { ownerId: null, organizerId: null };
    if (ofAccount.has(record)) return { ownerId: Number(id), organizerId: null };
    const actor = fact.impersonated_user_id ?? fact.actor_id;
    const isMade = actor !== null && makingVerbs.has(type.split('.')[2] ?? '');
    if (isMade && !this.#makers.has(subject)) this.#makers.set(subject, actor);
    if (record === 'file') return actor === null ? null : { ownerId: actor, organizerId: null };
    if (ofMaker.has(record)) return ownedBy(this.#makers.get(subject));
    if (record === 'registration' || record === 'messenger') return this.#readersOfRegistration(Number(id), status, type, fact);
    const profileId = profileOf(this.#model, record, Number(id));
    if (profileId === null) return null;
    return ownedBy(this.#ownerAt(profileId, type, fact));
  }

  /** The athlete, and the organizer once it is submitted. */
  #readersOfRegistration(id: number, status: string | undefined, type: string, fact: AuditRow): Readers | null {
    const registration = this.#model.registrations.get(id);
    const event = this.#model.events.get(registration?.eventId ?? 0);
    if (!registration || !event) return null;
    const ownerId = this.#ownerAt(registration.profileId, type, fact) ?? null;
    const isSubmitted = registration.wasSubmitted && status !== 'draft';
    return { ownerId, organizerId: isSubmitted ? (this.#ownerAt(event.profileId, type, fact) ?? null) : null };
  }

  /** The owner of a profile when the fact was written. */
  #ownerAt(profileId: number, type: string, fact: AuditRow): number | undefined {
    const transfer = this.#transfers.find((one) => one.profileId === profileId && one.requestId === fact.request_id);
    if (type === 'registry.profile.transferred_away.v1') return transfer?.from;
    if (transfer) this.#owners.set(profileId, transfer.to);
    const first = this.#transfers.find((one) => one.profileId === profileId);
    const owner = this.#owners.get(profileId) ?? first?.from ?? this.#model.profiles.get(profileId)?.ownerId;
    if (owner !== undefined) this.#owners.set(profileId, owner);
    return owner;
  }
}

const ownedBy = (ownerId: number | undefined): Readers | null => (ownerId === undefined ? null : { ownerId, organizerId: null });

/** Records whose changes only administrators read. */
const administratorsOnly: ReadonlySet<string> = new Set([
  'contact_message',
  'incident',
  'service',
  'base_index',
  'contract_template',
  'federation_signing',
  'national',
  'national_list',
]);
/** Records whose id is the account's. */
const ofAccount: ReadonlySet<string> = new Set(['account', 'user', 'notification_preferences', 'messaging_bot', 'chat']);
/** Records that stay with the account that made them. */
const ofMaker: ReadonlySet<string> = new Set(['invoice', 'webhook', 'ledger']);
const makingVerbs: ReadonlySet<string> = new Set(['created', 'uploaded']);

const ofProfile = ['profile', 'photo', 'document', 'application', 'event', 'additional_document', 'contract', 'registration', 'messenger'];

/** All records whose changes are published. */
export const publishedRecords: ReadonlySet<string> = new Set([...administratorsOnly, ...ofAccount, ...ofMaker, ...ofProfile, 'file']);

/** Facts that no program follows: sign-ins and credentials, reads and marks of them, interventions (CHG-1). */
const unpublished =
  /^(?:session|second_factor|password_reset|email_confirmation|api_key|impersonation|administrator|process)\.|\.(?:read|marked_read|seen|downloaded)$|^(?:account\.password_changed|webhook\.(?:secret_replaced|tested|replayed)|notification\.refused|registrations\.exported|athletes\.exported)$/;

export function isPublished(action: string): boolean {
  return !unpublished.test(action);
}

/** The profile that a record belongs to; null for one that the auditor does not know. */
function profileOf(model: Model, record: string, id: number): number | null {
  switch (record) {
    case 'profile':
    case 'photo':
      return id;
    case 'document':
      return model.documents.get(id)?.profileId ?? null;
    case 'application':
      return model.applications.get(id)?.profileId ?? null;
    case 'event':
      return model.events.get(id)?.profileId ?? null;
    case 'additional_document':
      return profileOf(model, 'event', model.additionalDocuments.get(id)?.eventId ?? 0);
    case 'contract':
      return profileOf(model, 'event', model.contracts.get(id)?.eventId ?? 0);
    default:
      return null;
  }
}
