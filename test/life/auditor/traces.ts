import { actorOf, type Exchange } from './exchange.ts';
import type { Inquiry } from './inquiry.ts';

/** Accepted writes that leave no row, each with its reason. */
const unaudited: ReadonlySet<string> = new Set([
  // A price is only calculated.
  'POST /applications/quote',
  // Marks of reading (NOT-6).
  'POST /notifications/{id}/read',
  'POST /notifications/read',
  'POST /messenger/{perspective}/registrations/{id}/read',
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
  'POST /events/{id}/registrations/batch',
  'PATCH /events/{id}/registrations/{registration_id}',
  'PATCH /events/{id}/participants/{application_id}',
  'POST /admin/national/lists/review',
  'POST /admin/national/lists/insurance',
  'POST /admin/national/lists/print',
  'POST /admin/national/lists/review/review',
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

/** Asks whether each accepted write left its rows in the audit, by the one who acted (AUD-2, AUD-3). */
export async function askTraces(inquiry: Inquiry, exchanges: readonly Exchange[]): Promise<void> {
  const { same } = inquiry;
  for (const exchange of exchanges) {
    const { operation, status, by } = exchange;
    if (operation.startsWith('GET ') || status >= 300 || unaudited.has(operation) || by.accountId === 0) continue;
    const rows = await rowsOf(inquiry, exchange);
    if (rows.length === 0 && mayChangeNothing.has(operation)) continue;
    same(`${operation} left a row in the audit (AUD-2)`, true, rows.length > 0);
    const byOthers = rows.filter(({ actor_id: actor }) => actor !== null && actor !== actorOf(by));
    same(`the rows of ${operation} name ${by.name} as the one who acted (AUD-3)`, [], byOthers);
  }
}

/** The facts that a request wrote; reads are no facts. */
async function rowsOf({ asAdministrator }: Inquiry, { requestId }: Exchange): Promise<AuditRow[]> {
  const audit = await asAdministrator('GET /admin/audit', { query: `?request_id=${requestId}&category=action&limit=100` });
  return (audit.data as AuditRow[]).filter(({ action }) => !action.endsWith('.read'));
}
