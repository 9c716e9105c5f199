import { actorOf, type Exchange } from './exchange.ts';
import type { Inquiry } from './inquiry.ts';

/** Accepted writes that leave no row, each with its reason. */
const unaudited: ReadonlySet<string> = new Set([
  // A price is only calculated.
  'POST /applications/quote',
  // Marks of reading (NOT-6).
  'POST /notifications/{id}/read',
  'POST /notifications/read',
]);

/** Steps that may repeat what is so already, and then change nothing. */
const mayChangeNothing: ReadonlySet<string> = new Set([
  'PATCH /profiles/{id}',
  'PATCH /documents/{id}',
  'PATCH /applications/{id}',
  'POST /applications/{id}/submit',
  'POST /applications/{id}/pay',
  'POST /admin/review',
  'PATCH /events/{id}',
  'POST /contracts/{id}/request-confirmation',
  'POST /admin/contracts/{id}/seen',
  'POST /invoices/{id}/checkout',
  'POST /invoices/{id}/verify',
  'DELETE /account/sessions',
  'PATCH /admin/users/{id}',
]);

interface AuditRow {
  action: string;
  actor_id: number | null;
  subject: { kind: string; id: string };
}

/**
 * Asks whether each accepted write left its rows in the audit, by the one who acted (AUD-2, AUD-3), and whether each of them that is
 * published is a change, once (CHG-1).
 */
export async function askTraces(inquiry: Inquiry, exchanges: readonly Exchange[], changes: ChangeReader): Promise<void> {
  const { eventually, same } = inquiry;
  const found: Change[] = [];
  const facts: AuditRow[] = [];
  for (const exchange of exchanges) {
    const { operation, status, by } = exchange;
    if (operation.startsWith('GET ') || status >= 300 || unaudited.has(operation) || by.accountId === 0) continue;
    const rows = await rowsOf(inquiry, exchange);
    if (rows.length === 0 && mayChangeNothing.has(operation)) continue;
    same(`${operation} left a row in the audit (AUD-2)`, true, rows.length > 0);
    const byOthers = rows.filter(({ actor_id: actor }) => actor !== null && actor !== actorOf(by));
    same(`the rows of ${operation} name ${by.name} as the one who acted (AUD-3)`, [], byOthers);
    facts.push(...rows);
  }
  await eventually(async () => {
    found.push(...(await changes.read(inquiry)));
    for (const { action, subject } of facts) {
      const [type, record] = [`registry.${action}.v1`, `${subject.kind}/${subject.id}`];
      if (!changes.isPublished(type)) continue;
      const isIt = (one: Change) => one.type === type && one.subject === record;
      const times = facts.filter((fact) => fact.action === action && `${fact.subject.kind}/${fact.subject.id}` === record).length;
      same(`the fact ${action} of ${record} is a change, once (CHG-1)`, times, found.filter(isIt).length);
    }
  });
}

/** The facts that a request wrote; reads are no facts. */
async function rowsOf({ asAdministrator }: Inquiry, { requestId }: Exchange): Promise<AuditRow[]> {
  const audit = await asAdministrator('GET /admin/audit', { query: `?request_id=${requestId}&category=action&limit=100` });
  return (audit.data as AuditRow[]).filter(({ action }) => !action.endsWith('.read'));
}

interface Change {
  id: string;
  type: string;
  subject: string;
}

/** Reads the log of changes to its end: each change once, in the order of its facts (CHG-2). */
export class ChangeReader {
  readonly #seen = new Set<string>();
  #published: ReadonlySet<string> = new Set();
  #cursor = '';
  #readAt = 0;

  /** Begins to read from now on. */
  async begin({ asAdministrator, publicly, now }: Inquiry): Promise<void> {
    const { webhooks } = JSON.parse((await publicly('GET /openapi.json')).bytes.toString()) as { webhooks: Record<string, unknown> };
    this.#published = new Set(Object.keys(webhooks));
    this.#cursor = (await asAdministrator('GET /changes')).meta.next;
    this.#readAt = now.getTime();
  }

  /** Whether the API's document names the type. */
  isPublished(type: string): boolean {
    return this.#published.has(type);
  }

  /** @returns the changes since the last reading */
  async read(inquiry: Inquiry): Promise<Change[]> {
    const { asAdministrator, same, now } = inquiry;
    // A cursor is good for 90 days (CHG-4).
    if (now.getTime() - this.#readAt > keptMs) this.#cursor = (await asAdministrator('GET /changes')).meta.next;
    const found: Change[] = [];
    for (;;) {
      const page = await asAdministrator('GET /changes', { query: `?after=${encodeURIComponent(this.#cursor)}&limit=100` });
      for (const change of page.data as Change[]) {
        same(`the change ${change.id} comes once (CHG-2)`, false, this.#seen.has(change.id));
        this.#seen.add(change.id);
        found.push(change);
      }
      this.#cursor = page.meta.next;
      this.#readAt = now.getTime();
      if (page.data.length === 0) return found;
    }
  }
}

const keptMs = 89 * 86_400_000;
