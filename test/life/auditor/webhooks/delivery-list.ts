import { type Audience, isOf } from '../changes/change-reading.ts';
import { type Deliveries, isTaken, isTest } from './deliveries.ts';
import { fateOf } from './due-deliveries.ts';
import type { Delivered } from '../../receivers.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import type { Webhook } from './webhook-records.ts';

interface Row {
  id: number;
  webhook_id: string;
  type: string;
  subject: string;
  state: 'waiting' | 'delivered' | 'failed';
  tries: number;
  status: number | null;
  problem: string | null;
  answer: string | null;
  created_at: string;
}

const [keptMs, mostBytes, pageSize] = [29 * 86_400_000, 1000, 100];

/** The list of deliveries tells what the receiver saw, and keeps it for 30 days (WHK-6, WHK-8). */
export async function askList(inquiry: Inquiry, webhook: Webhook, deliveries: Deliveries): Promise<void> {
  await inquiry.eventually(async () => {
    deliveries.judge(inquiry);
    const rows = await rowsOf(inquiry, webhook);
    if (rows === null) return;
    const latest = new Map(rows.toReversed().map((row) => [row.webhook_id, row]));
    for (const [id, row] of latest)
      askRow(
        inquiry,
        webhook,
        row,
        deliveries.judged.filter((one) => one.id === id),
      );
    for (const one of deliveries.judged) askListed(inquiry, webhook, one, rows);
    askReadable(inquiry.model, `the owner of webhook ${webhook.id}`, audienceOf(inquiry.model, webhook), rows);
    askTests(inquiry, webhook, deliveries);
  });
}

async function rowsOf(inquiry: Inquiry, { id, ownerId, isDeleted }: Webhook): Promise<Row[] | null> {
  const { asOwner, same } = inquiry;
  const rows: Row[] = [];
  for (let after = ''; ;) {
    const page: Exchange = await asOwner(ownerId, 'GET /webhooks/{id}/deliveries', { params: { id }, query: `?limit=${pageSize}${after}` });
    if (inquiry.mustSignIn(inquiry.personOf(ownerId), page)) return null;
    same(`the deliveries of webhook ${id} are shown until it is deleted (WHK-6)`, isDeleted ? 404 : 200, page.status);
    if (page.status !== 200) return null;
    rows.push(...(page.data as Row[]));
    if (page.meta.next === null) return rows;
    after = `&after=${page.meta.next}`;
  }
}

function askRow({ model, killedAt, same }: Inquiry, webhook: Webhook, row: Row, tries: readonly Delivered[]): void {
  const what = `the delivery of ${row.type} of ${row.subject} to webhook ${webhook.id}`;
  const last = tries.at(-1);
  if (row.webhook_id.startsWith('test-')) {
    same(`${what} was asked for (WHK-8)`, true, webhook.tests.has(row.webhook_id));
  } else {
    const entry = model.changes.logged[model.changes.indexOf(row.webhook_id)];
    if (!entry) return;
    same(
      `${what} is of a change (WHK-1)`,
      { type: row.type, subject: row.subject },
      { type: entry.change.type, subject: entry.change.subject },
    );
    same(
      `${what} is of one that the webhook may get (WHK-1, WHK-3)`,
      true,
      fateOf(webhook, entry) !== 'never' || webhook.replays.length > 0,
    );
  }
  // One that was dropped when its account lost the right to read it was not tried any more (WHK-3).
  if (killedAt.length > 0 || webhook.replays.length > 0 || row.problem === 'not_permitted') return;
  // A delivery that is tried afresh keeps what it last was.
  const isNew = !last || last.at < webhook.freshAt;
  if (isNew) return;
  const { answer } = last;
  const state = isTaken(last) ? ['delivered'] : isTest(last) ? ['failed'] : ['waiting', 'failed'];
  same(`${what} has the state of its last try (WHK-6)`, true, state.includes(row.state));
  same(`${what} has the status of its last try (WHK-6)`, answer?.status ?? null, row.status);
  same(`${what} says why there was no answer (WHK-6)`, answer === null, row.problem !== null);
  same(`${what} has the number of its tries (WHK-6)`, tries.filter(({ at }) => at >= webhook.freshAt).length, row.tries);
  const text = Buffer.from(answer?.text ?? '')
    .subarray(0, mostBytes)
    .toString('utf8');
  same(`${what} has the first 1,000 bytes of the answer (WHK-6)`, text, row.answer ?? '');
}

/** What came is in the list of its reader, for 30 days. */
function askListed({ model, now, same }: Inquiry, webhook: Webhook, one: Delivered, rows: readonly Row[]): void {
  const entry = model.changes.logged[model.changes.indexOf(one.id)];
  const isReadable = isTest(one) || (entry !== undefined && isOf(entry, audienceOf(model, webhook)) === true);
  // It is kept from when it was planned: not before its change, and not long after a test was asked for.
  const plannedAt = entry ? Date.parse(entry.change.time) : webhook.tests.get(one.id)?.getTime();
  if (!isReadable || !isTaken(one) || now.getTime() - (plannedAt ?? 0) > keptMs) return;
  const isListed = rows.some(({ webhook_id: id, state }) => id === one.id && state === 'delivered');
  same(`the list of webhook ${webhook.id} has the delivery of ${one.change.type} of ${one.change.subject} (WHK-6)`, true, isListed);
}

const audienceOf = (model: Model, { ownerId }: Webhook): Audience =>
  model.accounts.get(ownerId)?.role === 'administrator' ? 'all' : ownerId;

/** Deliveries are shown as far as their reader may read the records now (WHK-3). @throws {Finding} */
export function askReadable(model: Model, reader: string, audience: Audience, rows: readonly Pick<Row, 'webhook_id' | 'subject'>[]): void {
  const foreign = rows.find(({ webhook_id: id }) => {
    const entry = model.changes.logged[model.changes.indexOf(id)];
    return entry !== undefined && isOf(entry, audience) === false;
  });
  if (foreign) throw new Finding(`${reader} sees the deliveries of own records alone (WHK-3)`, 'none of others', foreign);
}

/** Each test has come, while the webhook is enabled (WHK-8). */
function askTests({ now, same }: Inquiry, { id, epochs, tests }: Webhook, { judged }: Deliveries): void {
  if (epochs.at(-1)?.isOn !== true) return;
  const missing = [...tests].filter(([test, at]) => now.getTime() - at.getTime() < keptMs && !judged.some((one) => one.id === test));
  same(`webhook ${id} gets each test that was asked for (WHK-8)`, [], missing);
}
