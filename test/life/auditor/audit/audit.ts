import { codeIn } from '../accounts/in-person.ts';
import type { Area, Touched } from '../area.ts';
import { AuditLog, type AuditRow } from './audit-log.ts';
import { actorOf, type Exchange } from '../exchange.ts';
import type { Fact } from '../facts.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { exportFactsOf } from '../administration/athletes.ts';
import { privateTextsOf } from './private-texts.ts';
import { fileReadOf, privateReadsOf } from './private-reads.ts';

/** Accepted writes that leave no row, each with its reason. */
const unaudited: ReadonlySet<string> = new Set([
  // A price is only calculated.
  'POST /applications/quote',
  // Marks of reading (NOT-6).
  'POST /notifications/{id}/read',
  'POST /notifications/read',
  'POST /messenger/{perspective}/registrations/{id}/read',
]);

/** A row that no fact explained yet. */
interface Unexplained {
  row: AuditRow;
  /** How often it was looked at. */
  asked: number;
}

/** Facts that come within hours of a day. */
const reminders: ReadonlySet<string> = new Set(['document.reminded', 'application.reminded']);

/** For how many steps a row may wait for the fact that explains it: a process may have moved on after the records were read. */
const patience = 2;

/**
 * Compares the audit with the facts of the model, both ways, by `docs/rules/audit.md`: each fact has its row, by the one who acted, and each
 * row of a record that an area predicts has its fact.
 */
export class AuditReader {
  readonly #log = new AuditLog();
  readonly #predicted: ReadonlySet<string>;
  readonly #privateTexts = new Set<string>();
  /** The rows of private reads, as they were owed when each was answered: later the reader may have another account. */
  readonly #owedReads = new Map<string, string[] | null>();
  /** The records of files that were read, alike. */
  readonly #owedFiles = new Map<string, string | null>();
  /** Refused reads of the life by administrators, who may be none any more when the rows are asked about. */
  readonly #refusedReads = new Set<string>();
  /** What the rows of exports of the life have, by request. */
  readonly #exported = new Map<string, Record<string, unknown>>();
  #unexplained: Unexplained[] = [];

  constructor(areas: readonly Area[]) {
    this.#predicted = new Set(areas.flatMap(({ records = [] }) => records));
  }

  begin(inquiry: Inquiry): Promise<void> {
    return this.#log.begin(inquiry);
  }

  /** Notes which row an answered read of the life leaves. */
  answered({ model }: Inquiry, exchange: Exchange): void {
    const { operation, requestId, status, by } = exchange;
    if (!operation.startsWith('GET ')) return;
    this.#owedReads.set(requestId, privateReadsOf(model, exchange));
    this.#owedFiles.set(requestId, fileReadOf(model, exchange));
    if (operation === 'GET /admin/export' && status === 200) this.#exported.set(requestId, exportFactsOf(model, exchange));
    if (status >= 400 && model.accounts.get(by.accountId)?.role === 'administrator') this.#refusedReads.add(requestId);
  }

  /**
   * @param exchanges the requests since the last questions
   * @param reads what the auditor itself read since then
   */
  async ask(inquiry: Inquiry, exchanges: readonly Exchange[], reads: readonly Exchange[]): Promise<void> {
    for (const exchange of exchanges) for (const text of privateTextsOf(exchange)) this.#privateTexts.add(text);
    const { facts } = inquiry.model;
    const requests = new Map([...reads, ...exchanges].map((exchange) => [exchange.requestId, exchange]));
    const rows: AuditRow[] = [];
    await inquiry.eventually(async () => {
      const fresh = await this.#log.read(inquiry);
      rows.push(...fresh);
      for (const row of fresh) this.#explain(inquiry, row, requests);
      const late = inquiry.model.lastDays.missing(inquiry.now);
      if (late !== null) throw new Finding('the audit has a row of each reminder (AUD-2)', late, 'no row');
      const missing = facts.find(({ isCertain }) => isCertain);
      if (missing)
        throw new Finding(`the audit has a row of ${missing.action} on ${missing.subject} (AUD-2)`, wordsOf(missing), this.#like(missing));
    });
    this.#askRequests(inquiry, rows, requests);
    this.#owedReads.clear();
    this.#owedFiles.clear();
    this.#refusedReads.clear();
    this.#exported.clear();
    this.#askContents(inquiry, rows, requests);
    inquiry.model.suspects.push(...this.#askUnexplained());
  }

  /** At the end of a life nothing waits any more. */
  askAtTheEnd({ same }: Inquiry): void {
    same(
      'each row of the audit has its fact (AUD-2)',
      [],
      this.#unexplained.map(({ row }) => lineOf(row)),
    );
  }

  /** Takes away the fact that a row tells; a row without one waits. */
  #explain({ model }: Inquiry, row: AuditRow, requests: ReadonlyMap<string, Exchange>): void {
    if (row.action.endsWith('.read')) return;
    const subject = `${row.subject.kind}/${row.subject.id}`;
    if (reminders.has(row.action)) return model.lastDays.came(model, subject, new Date(row.at));
    // A certain fact first: one that only may happen waits without harm.
    const alike = model.facts
      .filter((fact) => fact.action === row.action && fact.subject === subject)
      .toSorted((left, right) => Number(right.isCertain) - Number(left.isCertain));
    const told = alike.find((fact) => isToldBy(fact, row, requests)) ?? alike.find((fact) => fact.requestIds.includes(row.request_id));
    if (told) {
      if (!isToldBy(told, row, requests))
        throw new Finding(`the row of ${row.action} on ${subject} names the one who acted (AUD-3, ACC-14)`, wordsOf(told), lineOf(row));
      model.facts.splice(model.facts.indexOf(told), 1);
    } else if (this.#predicted.has(row.action) || this.#predicted.has(row.action.split('.')[0] ?? ''))
      this.#unexplained.push({ row, asked: 0 });
  }

  /** Every request: an accepted write has rows by its caller alone, a refused one none, a private read one. */
  #askRequests({ model, same }: Inquiry, rows: readonly AuditRow[], requests: ReadonlyMap<string, Exchange>): void {
    for (const exchange of requests.values()) {
      const { operation, status, by, requestId } = exchange;
      const own = rows.filter(({ request_id: id }) => id === requestId);
      if (status >= 400) {
        // A scan is uploaded before it is examined; a refused one is deleted (AGR-4).
        const isDeletedScan =
          operation === 'POST /contracts/{id}/scan' && own.map(({ action }) => action).join() === 'file.uploaded,file.deleted';
        // An administrator who is told that a record has no certificate, or no agreement, has read the record.
        const isAdministrator = this.#refusedReads.has(requestId) || model.accounts.get(by.accountId)?.role === 'administrator';
        const isRead = operation.startsWith('GET ') && isAdministrator;
        // A code may be used up before the request is refused for something else; the area of second factors looks at its row.
        const isCode = (action: string) => action === 'second_factor.recovery_code_used' && codeIn(exchange) !== undefined;
        const left = own.filter(({ action }) => !isDeletedScan && !isCode(action) && (!isRead || !action.endsWith('.read')));
        same(`${operation}, refused with ${status} to ${by.name}, left no row in the audit`, [], left.map(lineOf));
        continue;
      }
      if (exchange.repeats !== undefined) {
        const changes = own.filter(({ action }) => !action.endsWith('.read'));
        same(`${operation}, repeated by ${by.name} with its key, left no row of a change (API-6)`, [], changes.map(lineOf));
        continue;
      }
      // A browser without a login, or whose login is not whole, signs out of nothing (ACC-3, ACC-28).
      const isLogin = model.sessions.get(by.credential ?? '')?.waitsUntil === null;
      const isVisitor = by.accountId === 0 || (operation === 'POST /auth/logout' && !isLogin);
      if (isVisitor) continue;
      const others = own.filter(({ action, actor_id: actor, impersonated_user_id: account }) => {
        const isHolder = actor === actorOf(by) && account === accountActedIn(exchange);
        // The end of an impersonation names its own administrator and account, whatever caused it (ACC-14, ACC-17).
        return actor !== null && !isHolder && action !== 'impersonation.ended' && action !== 'impersonation.expired';
      });
      same(`the rows of ${operation} name ${by.name} as the one who acted (AUD-3, ACC-14)`, [], others.map(lineOf));
      if (operation === 'GET /admin/export') {
        const told = own
          .filter(({ action }) => action === 'athletes.exported')
          .map(({ data: { count, status: kept, certificate } }) => ({ count, status: kept, certificate }));
        const expected = [this.#exported.get(requestId) ?? exportFactsOf(model, exchange)];
        same(`an export of ${by.name} is in the audit with its filters and number of rows, once (ADM-6)`, expected, told);
        const text = new URLSearchParams(exchange.query).get('q');
        if (text !== null) this.#privateTexts.add(text);
      }
      if (operation.startsWith('GET ')) {
        const owed = this.#owedReads.get(requestId);
        const expected = owed === undefined ? privateReadsOf(model, exchange) : owed;
        const isOfList = expected?.some((line) => !line.includes(' ')) ?? false;
        const seen = own
          .filter(({ action }) => action.endsWith('.read'))
          .map(({ action, subject }) => (isOfList ? action : `${action} ${subject.kind}/${subject.id}`));
        if (expected !== null) same(`${operation} of ${by.name} left its row of a private read, once (AUD-4, AUD-8)`, expected, seen);
        const file = this.#owedFiles.has(requestId) ? this.#owedFiles.get(requestId) : fileReadOf(model, exchange);
        const isTold = own.some(({ subject }) => `${subject.kind}/${subject.id}` === file);
        if (file) same(`${operation} of ${by.name} left a row on ${file} (AUD-4, AGR-16, REG-17)`, true, isTold);
      } else if (!unaudited.has(operation) && !mayChangeNothing.has(operation))
        same(`${operation} of ${by.name} left a row in the audit (AUD-2)`, true, own.length > 0);
    }
  }

  #askContents({ same }: Inquiry, rows: readonly AuditRow[], requests: ReadonlyMap<string, Exchange>): void {
    for (const row of rows) {
      const request = requests.get(row.request_id);
      // An impersonation that another person ended names its own administrator, who was at no address.
      const isOfAnother = request && row.action.startsWith('impersonation.') && row.actor_id !== actorOf(request.by);
      if (row.actor_id !== null && request)
        same(`the row ${lineOf(row)} names the address of its actor (AUD-3)`, !isOfAnother, row.ip !== null);
      const data = JSON.stringify(row.data);
      const told = [...this.#privateTexts].filter((text) => data.includes(text));
      same(`the row ${lineOf(row)} has nothing of a person in its data (AUD-3)`, [], told);
    }
  }

  #askUnexplained(): Touched[] {
    for (const one of this.#unexplained) one.asked += 1;
    const old = this.#unexplained.find(({ asked }) => asked > patience);
    if (old) throw new Finding('each row of the audit has its fact (AUD-2)', 'no such row', lineOf(old.row));
    return this.#unexplained.map(({ row: { subject } }) => ({ kind: subject.kind as Touched['kind'], id: idOf(subject.id) }));
  }

  /** Rows without a fact on the record of a fact. */
  #like({ subject }: Fact): string[] {
    return this.#unexplained.filter(({ row }) => `${row.subject.kind}/${row.subject.id}` === subject).map(({ row }) => lineOf(row));
  }

  /** Tries again to explain the rows that wait, after the areas have looked at their records. */
  retry(inquiry: Inquiry): void {
    const waiting = this.#unexplained;
    this.#unexplained = [];
    for (const one of waiting) {
      const before = this.#unexplained.length;
      this.#explain(inquiry, one.row, new Map());
      for (const again of this.#unexplained.slice(before)) again.asked = one.asked;
    }
  }
}

/** Whether an accepted write may have changed no record: its repeat runs again once the account has lost a right (API-6). */
export const mayLeaveNoRow = (operation: string): boolean => unaudited.has(operation) || mayChangeNothing.has(operation);

/** Steps that may repeat what is so already, and then change nothing. Where an area predicts, its facts say when they do. */
const mayChangeNothing: ReadonlySet<string> = new Set([
  'PATCH /profiles/{id}',
  'PATCH /documents/{id}',
  'PATCH /applications/{id}',
  'PATCH /admin/records/document/{id}',
  'PATCH /admin/records/profile/{id}',
  'PATCH /admin/contract-templates/{id}',
  'POST /applications/{id}/submit',
  'POST /applications/{id}/pay',
  'POST /admin/review',
  'POST /admin/incidents/{id}/resolve',
  'POST /admin/contact-messages/{id}/answered',
  'POST /admin/ledger/{entry_id}/reverse',
  'POST /admin/ledger/corrections',
  'POST /invoices',
  'POST /invoices/{id}/verify',
  'PATCH /events/{id}',
  'POST /events/{id}/registrations/batch',
  'POST /events/{id}/registrations/import',
  'PATCH /events/{id}/registrations/{registration_id}',
  'PUT /events/{id}/registration-settings',
  'PATCH /events/{id}/participants/{application_id}',
  'POST /events/{id}/participants/import',
  'POST /admin/national/lists/review',
  'POST /admin/national/lists/insurance',
  'POST /admin/national/lists/print',
  'POST /admin/national/lists/review/review',
  'POST /contracts/{id}/request-confirmation',
  'POST /admin/contracts/{id}/seen',
  'DELETE /account/sessions',
  'DELETE /messaging-bot',
  'PATCH /account',
  'PATCH /admin/users/{id}',
  'POST /chat/read',
  'POST /admin/chats/{user_id}/read',
  'PUT /applications/{id}/sharing',
  'PUT /notifications/preferences',
  'PUT /admin/catalog/services/{id}',
  'PUT /admin/catalog/base-indexes/{year}',
]);

/** The impersonated account that rows of a request name; an impersonation names its account from its beginning on. */
function accountActedIn({ operation, body, by }: Exchange): number | null {
  if (operation === 'POST /admin/impersonate') return (body as { user_id: number }).user_id;
  return by.administratorId === null ? null : by.accountId;
}

/** Whether a row tells a fact: by its caller, from one of its requests; of a process, or of a request that caused it. */
function isToldBy({ by, requestIds, byBot }: Fact, row: AuditRow, requests: ReadonlyMap<string, Exchange>): boolean {
  if (byBot) return byBot.includes(row.actor_id) && row.impersonated_user_id === null;
  if (by === null) return row.actor_id === null || requests.has(row.request_id);
  const account = by.administratorId === null ? null : by.accountId;
  // A visitor has no account.
  const actor = by.accountId === 0 ? null : actorOf(by);
  return row.actor_id === actor && row.impersonated_user_id === account && requestIds.includes(row.request_id);
}

function wordsOf({ by, byBot }: Fact): string {
  if (byBot) return `by the bot for account ${byBot.join(' or ')}`;
  if (by === null) return 'by the registry';
  return `by account ${actorOf(by)}${by.administratorId === null ? '' : ` as account ${by.accountId}`}`;
}

function lineOf({ action, subject, actor_id: actor, impersonated_user_id: account }: AuditRow): string {
  return `${action} ${subject.kind}/${subject.id} by ${actor ?? 'the registry'}${account === null ? '' : ` as ${account}`}`;
}

const idOf = (id: string): number | string => (/^\d+$/.test(id) ? Number(id) : id);
