import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import { confirmed } from './in-person.ts';
import { type Judgement, type Refusal, refuse } from '../judgement.ts';
import type { Key } from './account-records.ts';
import type { Model } from '../model.ts';
import { scopeFor, scopesOf } from './scopes.ts';
import { endWebhooks } from '../webhooks/webhook-records.ts';

const mostKeys = 50;

/** Keys of programs, by `docs/rules/accounts.md`. */
export const keysArea: Area = {
  judge(model, asked, now) {
    if (asked.by.scopes !== null) return judgeProgram(model, asked, now);
    if (asked.operation.includes('/api-keys') && asked.by.administratorId !== null) return refuse('forbidden_while_impersonating');
    if (asked.operation === 'POST /api-keys') return judgeNewKey(model, asked, now);
    if (asked.operation === 'DELETE /api-keys/{id}') {
      const wrong = confirmed(model, asked);
      if (wrong !== null) return wrong;
      const key = keyOf(model, Number(asked.params['id']));
      return key && key.ownerId === asked.by.accountId && !key.isRevoked ? 'accept' : refuse('not_found');
    }
    return null;
  },

  saw(model, { operation, params, body, data, by }) {
    switch (operation) {
      case 'POST /api-keys':
        model.keys.set(data.key, {
          id: data.id,
          ownerId: by.accountId,
          scopes: [...(body as NewKey).scopes],
          expiresAt: new Date((body as NewKey).expires_at),
          isRevoked: false,
        });
        return [{ kind: 'key', id: data.id }];
      case 'DELETE /api-keys/{id}': {
        const key = keyOf(model, Number(params['id']));
        if (key) key.isRevoked = true;
        const ended = endWebhooks(model, 'key_ended', ({ keyId }) => keyId === Number(params['id']));
        return [{ kind: 'key', id: Number(params['id']) }, ...ended];
      }
      case 'POST /auth/password':
        return revokeAll(model, by.accountId, body as { keep_api_keys?: boolean });
      default:
        return [];
    }
  },

  async ask({ model, asOwner, programs, as, now, same }, touched) {
    for (const id of touchedIds(touched, 'key')) {
      const key = keyOf(model, id);
      if (!key) continue;
      const list = await asOwner(key.ownerId, 'GET /api-keys', { query: '?limit=100' });
      if (list.status === 200) {
        const row = (list.data as { id: number; scopes: string[] }[]).find((one) => one.id === id);
        same(
          `the list of keys has key ${id} until it is revoked, with its scopes (ACC-7)`,
          key.isRevoked ? null : key.scopes.toSorted(),
          row?.scopes.toSorted() ?? null,
        );
      }
      const program = programs.find(({ keyId }) => keyId === id);
      if (!program) continue;
      const account = await as(program, 'GET /account');
      const expected = isInForce(model, key, now) ? { status: 200, scopes: scopesInForce(model, key).toSorted() } : { status: 401 };
      const seen = account.status === 200 ? { status: 200, scopes: account.data.scopes.toSorted() } : { status: account.status };
      same(`key ${id} opens its account as far as its scopes, until it ends (ACC-7, ACC-8, ACC-11)`, expected, seen);
    }
  },

  async askAll(inquiry) {
    const touched = [...inquiry.model.keys.values()].map(({ id }) => ({ kind: 'key' as const, id }));
    await keysArea.ask?.(inquiry, touched);
  },
};

interface NewKey {
  scopes: string[];
  expires_at: string;
}

export function keyOf(model: Model, id: number): Key | undefined {
  return model.keys.values().find((key) => key.id === id);
}

/** Neither revoked nor expired, of an active account. */
export function isInForce(model: Model, { ownerId, expiresAt, isRevoked }: Key, now: Date): boolean {
  return !isRevoked && now < expiresAt && model.accounts.get(ownerId)?.status === 'active';
}

/** A key has no scope that its owner's role does not have. */
export function scopesInForce(model: Model, { ownerId, scopes }: Key): string[] {
  const allowed = scopesOf(model.accounts.get(ownerId)?.role ?? 'user');
  return scopes.filter((scope) => allowed.includes(scope));
}

function judgeProgram(model: Model, asked: Asked, now: Date): Judgement | null {
  const refusal = refusalOfKey(model, asked, scopeFor(asked.operation) ?? 'account', now);
  return refusal ?? (asked.operation.startsWith('GET ') ? 'open' : null);
}

/**
 * Why a key, whatever record it asks for, is refused: it has ended, or lacks what the route needs; null when it is not.
 * @param need a permission, `browser`, or `account` for any key
 */
export function refusalOfKey(model: Model, { by }: Pick<Asked, 'by'>, need: string, now: Date): Refusal | null {
  const key = model.keys.get(by.credential ?? '');
  if (!key || !isInForce(model, key, now)) return refuse('unauthenticated');
  if (need === 'account') return null;
  if (need === 'browser') return refuse('browser_session_required');
  if (need.startsWith('admin:') && model.accounts.get(key.ownerId)?.role !== 'administrator')
    return refuse('forbidden', 'insufficient_scope');
  return scopesInForce(model, key).includes(need) ? null : refuse('insufficient_scope');
}

/** Within five years, with scopes of the role, as one of 50 (ACC-7, ACC-8). */
function judgeNewKey(model: Model, { body, by }: Asked, now: Date): Judgement {
  const { scopes, expires_at: expiresAt } = body as NewKey;
  const allowed = scopesOf(model.accounts.get(by.accountId)?.role ?? 'user');
  const end = new Date(expiresAt);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + 5);
  const refusal = confirmed(model, { body, by });
  if (refusal !== null) return refusal;
  if (!scopes.every((scope) => allowed.includes(scope)) || end <= now || end > latest) return refuse('validation_failed');
  const valid = model.keys.values().filter((key) => key.ownerId === by.accountId && !key.isRevoked && key.expiresAt > now);
  return [...valid].length < mostKeys ? 'accept' : refuse('quota_exceeded');
}

/** A new password revokes the keys and disables the webhooks, unless the owner keeps them (ACC-18, WHK-9). */
export function revokeAll(model: Model, ownerId: number, { keep_api_keys: isKept = false }: { keep_api_keys?: boolean }): Touched[] {
  const keys = isKept ? [] : [...model.keys.values()].filter((key) => key.ownerId === ownerId && !key.isRevoked);
  for (const key of keys) key.isRevoked = true;
  const webhooks = isKept ? [] : endWebhooks(model, 'password_changed', (webhook) => webhook.ownerId === ownerId);
  return [...keys.map(({ id }) => ({ kind: 'key' as const, id })), ...webhooks];
}
