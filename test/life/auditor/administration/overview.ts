import { followTouched } from '../applications/applications.ts';
import { dayOf } from '../days.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';

interface QueueRow {
  kind: string;
  id: number;
  title: string;
  waiting_since: string;
}

interface Overview {
  queue: Record<string, number>;
  states: Record<string, Record<string, number>>;
  oldest: QueueRow | null;
  waiting_since: Record<string, string>;
  money: { today: DaySums };
}

interface DaySums {
  paid_in_minor: number;
  income_minor: number;
  premium_minor: number;
  refunded_minor: number;
}

interface LedgerRow {
  type: string;
  at: string;
  entries: { account: string; amount_minor: number }[];
}

type Counts = Record<string, number>;

/** The totals that the registry keeps: of states, of the queue, of accounts and of the ledger. @throws {Finding} */
export async function askOverview(inquiry: Inquiry): Promise<void> {
  await inquiry.eventually(async () => {
    await followTouched(inquiry, inquiry.model.everything());
    await askTotals(inquiry);
  });
}

async function askTotals(inquiry: Inquiry): Promise<void> {
  const { model, listed, asAdministrator, same } = inquiry;
  const { queue, states, oldest, waiting_since: waitingSince, money } = (await asAdministrator('GET /admin/overview')).data as Overview;
  for (const [kind, statuses] of statusesOf(model))
    same(`the overview counts the records of the kind ${kind} by state`, countsOf(statuses), sorted(states[kind] ?? {}));
  const rows = await listed<QueueRow>('GET /admin/queue');
  const waiting = Object.fromEntries(Object.entries(queue).filter(([, count]) => count > 0));
  same('the overview counts the records of the queue (REV-3)', countsOf(rows.map(({ kind }) => kind)), sorted(waiting));
  const [first] = rows;
  same('the overview names the oldest record of the queue (REV-3)', first === undefined ? null : placeOf(first), oldest && placeOf(oldest));
  // The first row of a kind is the last that is entered.
  const firsts = Object.fromEntries(rows.toReversed().map((row) => [row.kind, row.waiting_since]));
  same('the overview names since when each kind waits (REV-3)', firsts, waitingSince);
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const chosen = await listed<QueueRow>('GET /admin/queue', `?kind=${kind}`);
    same(`the queue of the kind ${kind} (REV-3)`, rows.filter((row) => row.kind === kind).map(placeOf), chosen.map(placeOf));
  }
  for (const [role, status] of [
    ['user', 'active'],
    ['user', 'blocked'],
    ['administrator', 'active'],
    ['administrator', 'blocked'],
  ]) {
    const known = [...model.accounts.values()].filter((account) => account.role === role && account.status === status);
    const { meta } = await asAdministrator('GET /admin/users', { query: `?role=${role}&status=${status}&limit=1` });
    same(`the list of accounts counts those of the role ${role} and the status ${status}`, known.length, meta.total);
  }
  const transactions = await listed<LedgerRow>('GET /admin/ledger');
  same('the overview sums the ledger of today (ADM-10)', sumsOf(transactions, inquiry.today), money.today);
  const types = transactions.map(({ type }) => type);
  for (const type of new Set(types)) {
    const { meta } = await asAdministrator('GET /admin/ledger', { query: `?type=${type}&limit=1` });
    same(`the ledger counts its transactions of the type ${type}`, types.filter((one) => one === type).length, meta.total);
  }
}

/** The state of each record of the kinds whose every state the model knows. */
function statusesOf(model: Model): [kind: string, statuses: string[]][] {
  const of = (records: Iterable<{ status: string }>) => [...records].map(({ status }) => status);
  return [
    ['profile', [...model.profiles.values()].map(({ data }) => data.status)],
    ['document', of(model.documents.values())],
    ['application', of(model.applications.values())],
    ['event', of(model.events.values())],
    ['contract', of(model.contracts.values())],
    ['registration', of(model.registrations.values())],
  ];
}

function sumsOf(transactions: readonly LedgerRow[], day: string): DaySums {
  const ofDay = transactions.filter(({ at }) => dayOf(new Date(at)) === day);
  const sumOf = (type: string, account: string) =>
    ofDay
      .filter((row) => row.type === type)
      .flatMap(({ entries }) => entries)
      .reduce((total, entry) => total + (entry.account.startsWith(account) ? entry.amount_minor : 0), 0);
  return {
    paid_in_minor: sumOf('invoice_payment', 'wallet:'),
    income_minor: sumOf('application_payment', 'income:'),
    premium_minor: sumOf('application_payment', 'insurance:premium'),
    refunded_minor: sumOf('application_refund', 'wallet:'),
  };
}

const placeOf = ({ kind, id, title, waiting_since: since }: QueueRow) => ({ kind, id, title, since });

function countsOf(names: readonly string[]): Counts {
  const counts: Counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return sorted(counts);
}

const sorted = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).toSorted(([left], [right]) => left.localeCompare(right)));
