import { confirmed } from '../accounts/in-person.ts';
import { keyOf, scopesInForce } from '../accounts/keys.ts';
import type { Asked } from '../area.ts';
import { publishedRecords } from '../changes/change-records.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { hasEnded, type Webhook } from './webhook-records.ts';

const [mostWebhooks, mostInterventions, dayMs] = [10, 20, 86_400_000];

/** What the rules say of a request about webhooks (WHK-1, WHK-3, WHK-7 to WHK-9). */
export function judgeWebhook(model: Model, asked: Asked, now: Date): Judgement | null {
  const { operation, params, by } = asked;
  if (!/^[A-Z]+ \/webhooks/.test(operation)) return null;
  if (by.administratorId !== null) return refuse('forbidden_while_impersonating');
  if (operation === 'GET /webhooks') return 'accept';
  if (operation === 'POST /webhooks') return judgeNew(model, asked);
  const webhook = model.webhooks.get(Number(params['id']));
  if (!webhook || webhook.isDeleted || webhook.ownerId !== by.accountId) return refuse('not_found');
  if (!mayUse(model, asked, webhook)) return refuse('insufficient_scope');
  switch (operation) {
    case 'PATCH /webhooks/{id}':
      return judgeChange(model, asked, webhook);
    case 'POST /webhooks/{id}/test':
    case 'POST /webhooks/{id}/replay':
      if (webhook.disabled !== null) return mayFollow(model, webhook, now) ? 'open' : refuse('webhook_disabled');
      if (operation.endsWith('replay') && !isKept(model, asked, now)) return refuse('cursor_expired');
      return mayFollow(model, webhook, now) ? 'open' : judgeOften(model, webhook, operation);
    default:
      return 'accept';
  }
}

/** A key without `admin:read` neither sees nor uses a webhook of an administrator that gets everything (WHK-3). */
export function mayUse(model: Model, { by }: Pick<Asked, 'by'>, { seesAll }: Webhook): boolean {
  const key = model.keys.get(by.credential ?? '');
  if (!key || !seesAll || model.accounts.get(by.accountId)?.role !== 'administrator') return true;
  return scopesInForce(model, key).includes('admin:read');
}

/** Whether the caller reads the records of others now. */
export function readsAll(model: Model, { by }: Pick<Asked, 'by'>): boolean {
  const key = model.keys.get(by.credential ?? '');
  if (model.accounts.get(by.accountId)?.role !== 'administrator') return false;
  return !key || scopesInForce(model, key).includes('admin:read');
}

interface Wanted {
  url?: string;
  types?: string[];
  enabled?: boolean;
  password?: string;
}

function judgeNew(model: Model, asked: Asked): Judgement {
  const { url = '', types = [], password } = asked.body as Wanted;
  const isProgram = asked.by.scopes !== null;
  if (!isAddress(url) || !types.every(isType) || types.length === 0) return refuse('validation_failed');
  if (!isProgram && password === undefined) return refuse('validation_failed');
  const wrong = isProgram ? null : confirmed(model, asked);
  if (wrong) return wrong;
  const own = [...model.webhooks.values()].filter(({ ownerId, isDeleted }) => ownerId === asked.by.accountId && !isDeleted);
  return own.length < mostWebhooks ? 'accept' : refuse('quota_exceeded');
}

/** Another address, and a webhook whose access ended, need the person (WHK-9). */
function judgeChange(model: Model, asked: Asked, webhook: Webhook): Judgement {
  const { url, types = [], enabled, password } = asked.body as Wanted;
  const isProgram = asked.by.scopes !== null;
  if ((url !== undefined && !isAddress(url)) || !types.every(isType)) return refuse('validation_failed');
  const isRedirected = url !== undefined && url !== webhook.addresses.at(-1)?.url;
  const isReturned = enabled === true && (webhook.disabled === 'password_changed' || webhook.disabled === 'key_ended');
  if (isReturned && isProgram) return refuse('browser_session_required');
  if ((!isRedirected && !isReturned) || isProgram) return 'accept';
  if (password === undefined) return refuse('validation_failed');
  return confirmed(model, asked) ?? 'accept';
}

function isType(type: string): boolean {
  const [, record = ''] = /^registry\.([a-z_]+)\.(?:\*|[a-z_]+\.v1)$/.exec(type) ?? [];
  return type === '*' || publishedRecords.has(record);
}

/** Not into the network of the registry; the operator of a life allows 127.0.0.1 (WHK-7). */
function isAddress(url: string): boolean {
  return /^https?:\/\//.test(url) && !/^https?:\/\/(?:10\.|192\.168\.|169\.254\.|\[|[^/]*@)/.test(url);
}

/** Whether the registry may have disabled the webhook a moment ago, for the end of its key or for its receiver (WHK-5, WHK-9). */
export function mayFollow(model: Model, { keyId, addresses, freshAt }: Webhook, now: Date): boolean {
  const key = keyId === null ? undefined : keyOf(model, keyId);
  if (key && hasEnded(key, now)) return true;
  const received = addresses.flatMap(({ url }) => model.receiverAt(url)?.delivered ?? []).filter(({ at }) => at >= freshAt);
  return received.some(
    ({ answer, registryAt, id }) =>
      !id.startsWith('test-') &&
      (answer?.status === 410 || ((answer?.status ?? 500) >= 300 && now.getTime() - registryAt.getTime() > 4.9 * dayMs)),
  );
}

/** A cursor is good for 90 days, also for a replay (CHG-4). */
function isKept(model: Model, { body }: Asked, now: Date): boolean {
  const at = model.changes.marks.find(({ cursor }) => cursor === (body as { after: string }).after)?.at;
  return at !== undefined && now.getTime() - at.getTime() < 90 * dayMs;
}

/** At most twenty tests, and twenty replays, in an hour of the machine, which is longer than a life (WHK-8). */
function judgeOften({ interventions }: Model, { id }: Webhook, operation: string): Judgement {
  const before = interventions.filter((one) => one.webhookId === id && one.operation === operation).length;
  if (before >= mostInterventions) return refuse('rate_limited');
  // One that an outage refused counts too, and was sent again.
  return before < mostInterventions - 5 ? 'accept' : 'open';
}
