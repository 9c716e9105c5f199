import { createRandom } from '../../../support/random.ts';
import { isOver } from './accounts.ts';
import { refusalOfPassword } from './in-person.ts';
import type { Area, Asked } from '../area.ts';
import { isExplained } from '../competitions/competition-judgement.ts';
import { type Refusal, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { ownerOfRecord } from './records.ts';
import { isWaiting } from './second-factor.ts';
import { decisionOn } from '../applications/profiles.ts';

/** Doors to one record: the route that shows it, and the lists that may. */
const doors = {
  profile: { route: 'GET /profiles/{id}', list: 'GET /profiles' },
  document: { route: 'GET /documents/{id}', list: null },
  application: { route: 'GET /applications/{id}', list: 'GET /applications' },
  invoice: { route: 'GET /invoices/{id}', list: 'GET /invoices' },
  registration: { route: 'GET /event-registrations/{id}', list: 'GET /event-registrations' },
} as const;

/** What a browser may do before a login. */
const forVisitors: ReadonlySet<string> = new Set([
  'POST /auth/login',
  'POST /auth/logout',
  'POST /auth/second-factor',
  'POST /auth/register',
  'POST /auth/forgot',
  'POST /auth/reset',
  'POST /auth/confirm-email',
  'POST /contact',
  'GET /session',
  'GET /captcha',
]);

/** What a browser may do whose session waits for a code (ACC-28). */
const beforeCode: ReadonlySet<string> = new Set(['GET /session', 'POST /auth/logout', 'POST /auth/second-factor']);

/** Closed under impersonation, beside administration (ACC-13, ACC-26). */
const inPerson: ReadonlySet<string> = new Set([
  'GET /account/erasure',
  'POST /account/erasure',
  'DELETE /account/erasure',
  'GET /account/exports/{id}',
  'POST /account/exports',
  'POST /auth/password',
  'POST /auth/reset',
  'POST /auth/confirm-email',
  'POST /account/email-confirmation',
  'GET /account/sessions',
  'DELETE /account/sessions',
  'DELETE /account/sessions/{id}',
  'POST /account/second-factor',
  'POST /account/second-factor/confirm',
  'DELETE /account/second-factor',
  'GET /api-keys',
  'POST /api-keys',
  'DELETE /api-keys/{id}',
  'GET /api-keys/{id}/requests',
  'POST /messaging-bot',
  'DELETE /messaging-bot',
]);

/** Who may read what, by ACC-8, API-3 and FIL-4: the owner and administrators; for everyone else it does not exist. */
export const rightsArea: Area = {
  judge(model, asked) {
    const refusal = refusalOfBrowser(model, asked) ?? refusalOfPassword(model, asked);
    if (refusal !== null) return refusal;
    const decided = decisionOn(asked);
    if (!decided) return null;
    if (model.accounts.get(asked.by.accountId)?.role !== 'administrator') return refuse();
    // A refusal says why (REV-1, REV-2).
    return decided.decision === 'approve' || isExplained(decided.note) ? null : refuse();
  },

  async ask(inquiry, touched) {
    const { people, as, publicly, same, model } = inquiry;
    for (const { kind, id } of touched) {
      if (!isDoor(kind) || typeof id !== 'number') continue;
      const ownerId = ownerOfRecord(model, kind, id);
      if (ownerId === null) continue;
      const { route, list } = doors[kind];
      const strangers = people.filter(
        (person) => person.accountId !== ownerId && isActive(model, person.accountId) && !inquiry.isSignedOut(person),
      );
      const stranger = strangers[createRandom(id).between(0, Math.max(0, strangers.length - 1))];
      if (stranger) {
        same(`${kind} ${id} does not exist for ${stranger.name} (API-3)`, 404, (await as(stranger, route, { params: { id } })).status);
        if (list !== null) {
          const rows = await as(stranger, list, { query: list === 'GET /profiles' ? '' : '?limit=100' });
          same(
            `${kind} ${id} is in no list of ${stranger.name}`,
            false,
            (rows.data as { id: number }[]).some((row) => row.id === id),
          );
        }
      }
      same(`${kind} ${id} needs a login`, 401, (await publicly(route, { params: { id } })).status);
      const owner = inquiry.personOf(ownerId);
      if (owner) {
        const isWhole = isActive(model, ownerId) && !inquiry.isSignedOut(owner);
        const refused = inquiry.isWaiting(owner) ? 403 : 401;
        same(
          `${kind} ${id} is read by its owner while the account is active and the session lasts (ACC-11, ACC-18, ACC-28)`,
          isWhole ? 200 : refused,
          (await as(owner, route, { params: { id } })).status,
        );
      }
    }
  },
};

/** Why a browser, whatever record it asks for, is refused: its session, its account, an impersonation or its role; null when it is not. */
export function refusalOfBrowser(model: Model, asked: Pick<Asked, 'operation' | 'by'>): Refusal | null {
  const { accountId } = asked.by;
  const isAdministrative = asked.operation.includes(' /admin/');
  if (isSignedOut(model, asked)) return forVisitors.has(asked.operation) ? null : refuse('unauthenticated');
  if (!isActive(model, accountId) && accountId !== 0) return refuse('unauthenticated');
  if (isWaiting(model, asked)) return beforeCode.has(asked.operation) ? null : refuse('second_factor_required');
  if (asked.by.administratorId !== null && (inPerson.has(asked.operation) || isAdministrative))
    return refuse('forbidden_while_impersonating');
  if (asked.by.scopes === null && isAdministrative && model.accounts.get(accountId)?.role !== 'administrator')
    return refuse(accountId === 0 ? 'unauthenticated' : 'forbidden');
  return null;
}

/** Whether a browser has no session of the account that it had: it has ended, or the browser signed out and holds a visitor's session. */
function isSignedOut(model: Model, { by }: Pick<Asked, 'by'>): boolean {
  if (by.scopes !== null || by.accountId === 0) return isOver(model, { by });
  return model.sessions.get(by.credential ?? '')?.isOver !== false;
}

const isDoor = (kind: string): kind is keyof typeof doors => kind in doors;

function isActive(model: Model, accountId: number): boolean {
  return model.accounts.get(accountId)?.status === 'active';
}
