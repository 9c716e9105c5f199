import type { Area } from '../area.ts';
import { actorOf, type Exchange } from '../exchange.ts';

/** A refusal that may be an attack. */
export interface Refused {
  action: string;
  /** Who was refused; null where the caller need not be known, as at a login. */
  actorId: number | null;
  /** The machine's time, milliseconds. */
  notedAt: number;
}

/** A row has the instant of the first of its equal events of a minute; the write may wait for a second. */
const oldestOfRowMs = 62_000;
const keptMs = 89 * 86_400_000;

const ofAnybody: Readonly<Record<string, string>> = {
  invalid_credentials: 'login.failed',
  account_blocked: 'login.failed',
  captcha_failed: 'captcha.failed',
  csrf_failed: 'csrf.failed',
  token_invalid: 'reset_link.refused',
};

const ofCallers: Readonly<Record<string, string>> = {
  password_confirmation_failed: 'password_confirmation.failed',
  insufficient_scope: 'scope.refused',
  forbidden: 'access.refused',
  forbidden_while_impersonating: 'access.refused',
  browser_session_required: 'access.refused',
};

/** Refusals that may be an attack are recorded apart, for administrators (AUD-5). */
export const securityArea: Area = {
  refused(model, exchange) {
    const event = eventOf(exchange);
    if (event) model.refusals.push({ ...event, notedAt: Date.now() });
  },

  async ask({ model, disturbedAt, now, registryTimeAt, asAdministrator, eventually, same }) {
    // What was not stored yet is lost with the API, and old rows are deleted (AUD-7).
    const refusals = model.refusals
      .splice(0)
      .filter(({ notedAt }) => notedAt > disturbedAt && registryTimeAt(notedAt - oldestOfRowMs) > now.getTime() - keptMs);
    if (refusals.length === 0) return;
    await eventually(async () => {
      const { data } = await asAdministrator('GET /admin/audit', { query: '?category=security&limit=100' });
      const rows = data as { id: number; action: string; actor_id: number | null; data: { count: number } }[];
      // Equal events of a minute of the machine are one row, so that its instant may lie far back on the registry's clock.
      const grown = rows.filter(({ id, data: { count } }) => count > (model.securityRows.get(id) ?? 0));
      const missing = refusals.filter(
        ({ action, actorId }) => !grown.some((row) => row.action === action && (actorId === null || row.actor_id === actorId)),
      );
      same(
        'each refusal that may be an attack is a security event (AUD-5)',
        [],
        missing.map(({ action, actorId }) => `${action} of ${actorId ?? 'anybody'}`),
      );
      for (const {
        id,
        data: { count },
      } of grown)
        model.securityRows.set(id, count);
    });
  },
};

function eventOf({ error, by }: Exchange): Pick<Refused, 'action' | 'actorId'> | null {
  const code = error?.code ?? '';
  const ofCaller = ofCallers[code];
  if (ofCaller !== undefined && by.accountId !== 0) return { action: ofCaller, actorId: actorOf(by) };
  // Only a key is an attempt.
  const action = code === 'unauthenticated' && by.scopes !== null ? 'api_key.refused' : ofAnybody[code];
  return action === undefined ? null : { action, actorId: null };
}
