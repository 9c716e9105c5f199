import type { Exchange } from './exchange.ts';
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
  'POST /invoices/{id}/checkout',
  'POST /invoices/{id}/verify',
]);

/** Asks whether an accepted write left its audit row, and its change for those who read along (AUD-2, AUD-3, CHG-1). */
export async function askTraces({ asAdministrator, eventually, same }: Inquiry, exchange: Exchange): Promise<void> {
  const { operation, status, requestId, by } = exchange;
  if (operation.startsWith('GET ') || status >= 300 || unaudited.has(operation) || by.accountId === 0) return;
  await eventually(async () => {
    const audit = await asAdministrator('GET /admin/audit', { query: `?request_id=${requestId}&category=action&limit=100` });
    const rows = (audit.data as { action: string; actor_id: number | null; at: string; ip: string | null }[]).filter(
      ({ action }) => !action.endsWith('.read'),
    );
    if (rows.length === 0 && mayChangeNothing.has(operation)) return;
    same(`${operation} left a row in the audit (AUD-2)`, true, rows.length > 0);
    const actors = rows.filter(({ actor_id: actor }) => actor !== null && actor !== by.accountId);
    same(
      `the rows of ${operation} name ${by.name} as the one who acted (AUD-3)`,
      [],
      actors.map(({ action, actor_id: actor }) => ({ action, actor })),
    );
  });
}

/** Reads the log of changes to its end: each change once, in the order of its facts (CHG-2). */
export class ChangeReader {
  readonly #seen = new Set<string>();
  #cursor = '';
  #readAt = 0;

  /** Begins to read from now on. */
  async begin({ asAdministrator, now }: Inquiry): Promise<void> {
    this.#cursor = (await asAdministrator('GET /changes')).meta.next;
    this.#readAt = now.getTime();
  }

  async read(inquiry: Inquiry): Promise<void> {
    const { asAdministrator, same, now } = inquiry;
    // A cursor is good for 90 days (CHG-4).
    if (now.getTime() - this.#readAt > keptMs) return this.begin(inquiry);
    for (;;) {
      const page = await asAdministrator('GET /changes', { query: `?after=${encodeURIComponent(this.#cursor)}&limit=100` });
      for (const { id } of page.data as { id: string }[]) {
        same(`the change ${id} comes once (CHG-2)`, false, this.#seen.has(id));
        this.#seen.add(id);
      }
      this.#cursor = page.meta.next;
      this.#readAt = now.getTime();
      if (page.data.length === 0) return;
    }
  }
}

const keptMs = 89 * 86_400_000;
