import { isDeepStrictEqual } from 'node:util';
import { type Area, type Touched, touchedIds } from '../area.ts';
import { Deliveries, isTaken, isTest } from './deliveries.ts';
import { askList, askReadable } from './delivery-list.ts';
import { failingOf, failingSince, missingOf, overdueOf, overtakenBy, settleMs } from './due-deliveries.ts';
import type { Exchange } from '../exchange.ts';
import { Finding } from '../finding.ts';
import { type Inquiry, patienceMs } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { judgeWebhook, mayFollow, mayUse, readsAll } from './webhook-judgement.ts';
import { doubtDisabled, endWebhooks, followRights, hasEnded, noteDisabled, type Webhook } from './webhook-records.ts';
import { keyOf } from '../accounts/keys.ts';

const dayMs = 86_400_000;
/** By how much the order of two answers may differ at the receiver and at the registry. */
const orderMs = 500;

/** Webhooks, by `docs/rules/webhooks.md`. */
export const webhooksArea: Area = {
  records: ['webhook.disabled'],
  notifies: ['webhook'],

  judge: judgeWebhook,

  saw(model, exchange) {
    const touched = takeOver(model, exchange);
    followRights(model, model.stepBegan);
    return touched;
  },

  read(model, exchange) {
    const { operation, params, by, data } = exchange;
    if (operation === 'GET /webhooks') askListed(model, exchange);
    if (operation !== 'GET /webhooks/{id}/deliveries') return;
    const audience = readsAll(model, exchange) ? 'all' : by.accountId;
    askReadable(model, `${by.name} at webhook ${params['id']}`, audience, data);
  },

  dayCame(model) {
    followRights(model, model.stepBegan);
    return [];
  },

  async ask(inquiry, touched) {
    const { model, now } = inquiry;
    await model.changes.follow(inquiry);
    const ended = followKeys(model, now);
    followRights(model, model.stepBegan);
    model.stepBegan = Date.now();
    const wanted = new Set(touchedIds([...touched, ...ended], 'webhook'));
    for (const webhook of model.webhooks.values()) {
      const deliveries = deliveriesOf(model, webhook);
      const before = deliveries.judged.length;
      askDeliveries(inquiry, webhook, deliveries);
      const hasFailed = deliveries.judged.slice(before).some((one) => !isTaken(one));
      if (wanted.has(webhook.id) || hasFailed) await askState(inquiry, webhook, deliveries);
      if (isLongOverdue(inquiry, webhook, deliveries)) await askComplete(inquiry, webhook, deliveries);
    }
  },

  async askAll(inquiry) {
    const { model } = inquiry;
    for (const webhook of model.webhooks.values()) {
      const deliveries = deliveriesOf(model, webhook);
      await askComplete(inquiry, webhook, deliveries);
      await askState(inquiry, webhook, deliveries);
      await askList(inquiry, webhook, deliveries);
    }
  },
};

interface Sent {
  url?: string;
  types?: string[];
  enabled?: boolean;
  after?: string;
}

function takeOver(model: Model, exchange: Exchange): Touched[] {
  const { operation, params, body, data, at } = exchange;
  const { url, types, enabled, after = '' } = (body ?? {}) as Sent;
  if (operation === 'POST /webhooks') {
    model.webhooks.set(data.id, newWebhook(model, exchange));
    return [{ kind: 'webhook', id: data.id }];
  }
  const webhook = model.webhooks.get(Number(params['id']));
  if (!webhook || !/^[A-Z]+ \/webhooks\//.test(operation)) return [];
  const touched: Touched[] = [{ kind: 'webhook', id: webhook.id }];
  switch (operation) {
    case 'PATCH /webhooks/{id}': {
      const isRedirected = url !== undefined && url !== webhook.addresses.at(-1)?.url;
      const isEnabled = enabled === true && webhook.disabled !== null;
      // The registry may have disabled it since the last question (WHK-5).
      const isDoubtful = webhook.disabled === null && mayFollow(model, webhook, at);
      if (isRedirected) {
        webhook.addresses.push({ url, since: model.stepBegan });
        Object.assign(webhook, { seesAll: readsAll(model, exchange), keyId: keyIdOf(model, exchange) });
      }
      if (isEnabled && (webhook.disabled === 'password_changed' || webhook.disabled === 'key_ended')) webhook.keyId = null;
      if (isRedirected || isEnabled) webhook.freshAt = model.stepBegan;
      if (types !== undefined) webhook.types = types;
      if (enabled === true && isDoubtful) doubtDisabled(model, webhook);
      if (enabled === true) Object.assign(webhook, { disabled: null, isDoubted: false });
      if (enabled === false && isDoubtful && data.disabled_reason !== 'owner') noteDisabled(model, webhook, data.disabled_reason);
      if (enabled === false) webhook.disabled ??= isDoubtful ? data.disabled_reason : 'owner';
      return touched;
    }
    case 'DELETE /webhooks/{id}':
      if (mayFollow(model, webhook, at)) doubtDisabled(model, webhook);
      webhook.isDeleted = true;
      return touched;
    case 'POST /webhooks/{id}/secret': {
      const [current] = webhook.secrets;
      const until = new Date(at.getTime() + dayMs);
      webhook.secrets = [{ secret: data.secret, since: Date.now(), until: null }, ...(current ? [{ ...current, until }] : [])];
      return touched;
    }
    case 'POST /webhooks/{id}/test':
      webhook.tests.set(data.webhook_id, at);
      model.interventions.push({ webhookId: webhook.id, operation, at });
      return touched;
    case 'POST /webhooks/{id}/replay':
      webhook.replays.push({ index: model.changes.marks.find(({ cursor }) => cursor === after)?.index ?? 0, at: model.stepBegan });
      model.interventions.push({ webhookId: webhook.id, operation, at });
      return touched;
    default:
      return [];
  }
}

function newWebhook(model: Model, exchange: Exchange): Webhook {
  const { body, data, by } = exchange;
  const { url = '', types = [] } = body as Sent;
  const since = model.stepBegan;
  return {
    id: data.id,
    ownerId: by.accountId,
    types,
    disabled: null,
    isDeleted: false,
    isDoubted: false,
    seesAll: readsAll(model, exchange),
    keyId: keyIdOf(model, exchange),
    secrets: [{ secret: data.secret, since, until: null }],
    addresses: [{ url, since }],
    createdAt: Date.now(),
    epochs: [],
    replays: [],
    tests: new Map(),
    freshAt: since,
    overdueSince: null,
  };
}

const keyIdOf = (model: Model, { by }: Exchange): number | null => model.keys.get(by.credential ?? '')?.id ?? null;

/** An account lists its webhooks until they are deleted, a key those that it may use (WHK-1, WHK-3). */
function askListed(model: Model, exchange: Exchange): void {
  const { by, data } = exchange;
  const own = [...model.webhooks.values()].filter(({ ownerId, isDeleted }) => ownerId === by.accountId && !isDeleted);
  const expected = own.filter((webhook) => mayUse(model, exchange, webhook)).map(({ id }) => id);
  const seen = (data as { id: number }[]).map(({ id }) => id);
  if (!isDeepStrictEqual(expected, seen)) throw new Finding(`${by.name} lists the webhooks of the account (WHK-1, WHK-3)`, expected, seen);
}

/** A key ends by the clock too, and disables its webhooks. One that is disabled keeps its reason, and is disabled again when it is enabled (WHK-9). */
function followKeys(model: Model, now: Date): Touched[] {
  return endWebhooks(model, 'key_ended', ({ ownerId, keyId, disabled }) => {
    // A blocked account gets nothing, and its process does not look: it is disabled once the account is unblocked.
    if (disabled !== null || model.accounts.get(ownerId)?.status === 'blocked') return false;
    const key = keyId === null ? undefined : keyOf(model, keyId);
    return key !== undefined && hasEnded(key, now);
  });
}

function deliveriesOf(model: Model, webhook: Webhook): Deliveries {
  const deliveries = model.deliveries.get(webhook.id) ?? new Deliveries(webhook);
  model.deliveries.set(webhook.id, deliveries);
  return deliveries;
}

/** Judges what has come, and whether anything of a record has overtaken (WHK-4). */
function askDeliveries(inquiry: Inquiry, webhook: Webhook, deliveries: Deliveries): void {
  const { model, now } = inquiry;
  deliveries.judge(inquiry);
  const overtaken = overtakenBy(webhook, deliveries, model.changes, now);
  if (overtaken)
    throw new Finding(
      `webhook ${webhook.id} gets the changes of a record in their order (WHK-4)`,
      overtaken.change,
      'a later one of the record',
    );
}

/** A change that is overdue at two questions in a row, patience apart. */
function isLongOverdue(inquiry: Inquiry, webhook: Webhook, deliveries: Deliveries): boolean {
  if (overdueOf(webhook, deliveries, inquiry) === null) webhook.overdueSince = null;
  else webhook.overdueSince ??= Date.now();
  return webhook.overdueSince !== null && Date.now() - webhook.overdueSince > patienceMs;
}

async function askComplete(inquiry: Inquiry, webhook: Webhook, deliveries: Deliveries): Promise<void> {
  await inquiry.eventually(async () => {
    askDeliveries(inquiry, webhook, deliveries);
    const overdue = overdueOf(webhook, deliveries, inquiry);
    if (overdue) throw new Finding(`webhook ${webhook.id} gets every change that it wants (WHK-1, WHK-5)`, overdue.change, 'nothing');
  });
}

/** The webhook as its owner sees it: enabled or why not, and what fails (WHK-5, WHK-9, WHK-10). */
async function askState(inquiry: Inquiry, webhook: Webhook, deliveries: Deliveries): Promise<void> {
  const { model, now, asOwner, eventually, same } = inquiry;
  await eventually(async () => {
    const answer = await asOwner(webhook.ownerId, 'GET /webhooks/{id}', { params: { id: webhook.id } });
    const { status, data } = answer;
    if (status === 401 && mayFollow(model, webhook, now)) doubtDisabled(model, webhook);
    if (inquiry.mustSignIn(inquiry.personOf(webhook.ownerId), answer)) return;
    same(`webhook ${webhook.id} is there until it is deleted (WHK-1)`, webhook.isDeleted ? 404 : 200, status);
    if (status !== 200) return;
    askDeliveries(inquiry, webhook, deliveries);
    followDisabling(inquiry, webhook, deliveries, data.disabled_reason);
    const { id, types, disabled, seesAll, addresses } = webhook;
    same(
      `webhook ${id} stands as the rules say (WHK-1, WHK-3, WHK-5, WHK-9)`,
      { types, disabled, enabled: disabled === null, seesAll, url: addresses.at(-1)?.url },
      { types: data.types, disabled: data.disabled_reason, enabled: data.enabled, seesAll: data.sees_all, url: data.url },
    );
    same(`webhook ${id} shows its secret once (WHK-2)`, false, JSON.stringify(data).includes('whsec_'));
    if (disabled === null && inquiry.killedAt.length === 0) askBacklog(inquiry, webhook, deliveries, data);
  });
  followRights(model, model.stepBegan);
}

interface Backlog {
  waiting: number;
  failing_total: number;
  failing_subjects: { subject: string; attempts: number; last_status: number | null }[];
}

/** Which records fail, and that everything behind them waits (WHK-10). */
function askBacklog({ model, now, same }: Inquiry, webhook: Webhook, deliveries: Deliveries, data: Backlog): void {
  const failing = failingOf(webhook, deliveries);
  const missing = [...missingOf(webhook, deliveries, model.changes, now)];
  const waiting = new Set(missing.map(({ change }) => change.subject));
  const expected = [...failing].filter(([subject]) => waiting.has(subject)).map(([subject, { status }]) => `${subject} ${status}`);
  const shown = data.failing_subjects
    .filter(({ subject }) => waiting.has(subject))
    .map(({ subject, last_status: status }) => `${subject} ${status}`);
  const most = Math.min(20, data.failing_total);
  same(`webhook ${webhook.id} shows the records that fail, with their last answer (WHK-10)`, most, data.failing_subjects.length);
  if (data.failing_total <= 20) same(`webhook ${webhook.id} shows the records that fail (WHK-10)`, expected.toSorted(), shown.toSorted());
  for (const { subject } of data.failing_subjects)
    same(`${subject} has failed at webhook ${webhook.id} (WHK-10)`, true, failing.has(subject));
  same(
    `webhook ${webhook.id} counts what waits (WHK-10)`,
    true,
    data.waiting >= missing.filter(({ change }) => failing.has(change.subject)).length,
  );
}

/** What the registry does by itself: it disables a webhook after a 410 to a change, and when nothing was taken for five days (WHK-5). */
function followDisabling(
  { model, now, registryTimeAt, killedAt }: Inquiry,
  webhook: Webhook,
  deliveries: Deliveries,
  reason: Webhook['disabled'],
): void {
  const changes = deliveries.judged.filter((one) => !isTest(one) && one.at >= webhook.freshAt);
  const isGone = changes.some(({ answer }) => answer?.status === 410);
  const mayBeGone = deliveries.judged.some((one) => !isTest(one) && one.answer?.status === 410 && one.at >= webhook.freshAt - settleMs);
  const since = failingSince(webhook, deliveries, orderMs);
  const first = failingSince(webhook, deliveries, -orderMs);
  const wasKilled = since !== null && killedAt.some((killed) => killed >= since.at && killed <= since.at + settleMs);
  const surelyFailed =
    since !== null &&
    !wasKilled &&
    changes.some((one) => !isTaken(one) && one.at > since.at && one.registryAt.getTime() - registryTimeAt(since.at + settleMs) > 5 * dayMs);
  const mayHaveFailed = first !== null && now.getTime() - first.registryAt.getTime() > 5 * dayMs - 10_000;
  if (webhook.disabled !== null) return;
  if ((mayBeGone && reason === 'gone') || (mayHaveFailed && reason === 'failed')) {
    noteDisabled(model, webhook, reason);
    webhook.disabled = reason;
  }
  if (isGone && reason === null)
    throw new Finding(`webhook ${webhook.id} is disabled when its receiver answers 410 to a change (WHK-5)`, 'gone', 'enabled');
  if (surelyFailed && reason === null)
    throw new Finding(`webhook ${webhook.id} is disabled when it took nothing for five days (WHK-5)`, 'failed', 'enabled');
}
