import type { Area } from '../area.ts';
import { actorOf, type Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import { type Judgement, refuse, refuseWith } from '../judgement.ts';
import type { Model } from '../model.ts';

/** An incident of the queue (REV-4). */
interface Incident {
  /** What it is about, such as `bank_mismatch: invoice 5`. */
  title: string;
  /** Null while it is open. */
  resolved: { by: number; reason: string; transactionId: number | null } | null;
}

/** What the auditor knows of incidents. */
export class IncidentRecords {
  /** By id, as the queue showed them. */
  readonly known = new Map<number, Incident>();
  /** Those that the bank's word has certainly raised, by title (WAL-6, WAL-8). */
  readonly raised = new Set<string>();
  /** Ids that were resolved since the queue was asked. */
  readonly unasked: number[] = [];
}

interface QueueRow {
  kind: string;
  id: number;
  title: string;
}

/** The id of no incident, as steps send it. */
export const noIncident = 999_999;

const aboutInvoice = /^(bank_mismatch|late_payment): invoice (\d+)$/;

/** Incidents stay open until an administrator resolves them, by a reason or by moving money (REV-4). */
export const incidentsArea: Area = {
  read(model, { operation, query, data }) {
    if (operation !== 'GET /admin/queue' || !query.includes('kind=incident')) return;
    for (const { kind, id, title } of data as QueueRow[])
      if (kind === 'incident' && !model.incidents.known.has(id)) model.incidents.known.set(id, { title, resolved: null });
  },

  saw(model, exchange) {
    if (exchange.operation === 'POST /admin/incidents/{id}/resolve') resolve(model, exchange);
    return [];
  },

  async ask({ model, listed, same }) {
    const resolved = model.incidents.unasked.splice(0);
    if (resolved.length === 0) return;
    const open = new Set((await listed<QueueRow>('GET /admin/queue', '?kind=incident')).map(({ id }) => id));
    same(
      'a resolved incident has left the queue (REV-4)',
      [],
      resolved.filter((id) => open.has(id)),
    );
  },

  async askAll({ model, listed, same }) {
    const { known, raised } = model.incidents;
    const rows = await listed<QueueRow>('GET /admin/queue', '?kind=incident');
    const open = rows.map(({ id, title }) => ({ id, title }));
    const settled = [...known].filter(([, { resolved }]) => resolved !== null).map(([id, { title }]) => ({ id, title }));
    const again = open.filter(({ id }) => known.get(id)?.resolved);
    same('a resolved incident stays out of the queue (REV-4)', [], again);
    const lost = [...known].filter(([id, { resolved }]) => resolved === null && !open.some((row) => row.id === id));
    same('an incident stays in the queue until it is resolved (REV-4)', [], lost);
    const titles = [...open, ...settled].map(({ title }) => title);
    const missing = [...raised].filter((title) => !titles.includes(title));
    same('each mismatch and each late payment is an incident (WAL-6, WAL-8, REV-4)', [], missing);
    const ofBank = titles.filter((title) => aboutInvoice.test(title));
    same('an invoice has an incident of a kind once (WAL-6, WAL-8)', [...new Set(ofBank)], ofBank);
    const strange = ofBank.filter((title) => !isOfBank(model, title));
    same('an incident of the bank is of an invoice with a mismatch, or with late money (WAL-6, WAL-8)', [], strange);
  },
};

/** Whether the invoice of an incident has got the bank's word for it. */
function isOfBank({ invoices }: Model, title: string): boolean {
  const [, kind, id] = aboutInvoice.exec(title) ?? [];
  const invoice = invoices.get(Number(id));
  return kind === 'bank_mismatch' ? invoice?.status === 'mismatch' : invoice?.isCredited === true;
}

/** What the rules say of a request to resolve an incident by a reason, which may be repeated (REV-4). */
export function judgeResolution({ incidents }: Model, id: number): Judgement {
  if (id === noIncident) return refuse('not_found');
  return incidents.known.has(id) ? 'accept' : 'open';
}

/** Money resolves an open incident alone (REV-4). */
export function judgeByMoney({ incidents }: Model, id: number): Judgement {
  if (id === noIncident) return refuse('validation_failed');
  const incident = incidents.known.get(id);
  if (!incident) return 'open';
  return incident.resolved === null ? 'accept' : refuseWith('invalid_state', { incident_id: id });
}

/** Takes over that a movement of money has resolved an incident. */
export function resolveByMoney(model: Model, exchange: Exchange, id: number): void {
  const { reason } = exchange.body as { reason: string };
  settle(model, exchange, id, { by: actorOf(exchange.by), reason, transactionId: Number(exchange.data.id) });
}

/** The first resolution stays (REV-4). @throws {Finding} */
function resolve(model: Model, exchange: Exchange): void {
  const id = Number(exchange.params['id']);
  const { reason } = exchange.body as { reason: string };
  settle(model, exchange, id, { by: actorOf(exchange.by), reason, transactionId: null });
  const { resolved_by: by, resolution, transaction_id: transactionId, resolved_at: at } = exchange.data;
  const expected = model.incidents.known.get(id)?.resolved;
  const seen = { by, reason: resolution, transactionId };
  if (at === null || JSON.stringify(expected) !== JSON.stringify(seen))
    throw new Finding(`incident ${id} is resolved once, by the first who did it (REV-4)`, expected, exchange.data);
}

function settle(model: Model, exchange: Exchange, id: number, resolved: NonNullable<Incident['resolved']>): void {
  const incident = model.incidents.known.get(id);
  if (!incident || incident.resolved !== null) return;
  incident.resolved = resolved;
  model.incidents.unasked.push(id);
  model.noted(exchange, 'incident.resolved', 'incident', id);
}
