import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import { actorOf, cookieOf, type Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { type Session, speaksFor } from './account-records.ts';
import { asksInPerson, codeIn, confirmed } from './in-person.ts';

const shortestReason = 5;
/** Between the end of a waiting session at the auditor and at the registry. */
const marginMs = 12_000;

/** A session that waits for its code ends after five minutes of real time (ACC-28). */
export const waitingClock: Area = {
  judge(model, { by }) {
    endWaiting(model);
    const session = model.sessions.get(by.credential ?? '');
    return session && isEnding(session) ? 'open' : null;
  },
};

/** Second factors, by ACC-27 to ACC-32 and ACC-34. It sees a request before the accounts' area has taken it over. */
export const secondFactorArea: Area = {
  records: ['second_factor'],

  judge(model, asked) {
    const { operation, by, body } = asked;
    const account = model.accounts.get(by.accountId);
    switch (operation) {
      case 'POST /auth/second-factor':
        return judgeLogin(model, asked);
      case 'POST /account/second-factor': {
        const wrong = confirmed(model, asked);
        if (account?.isConfirmed === true) return wrong ?? 'accept';
        return refuse('email_not_confirmed', 'password_confirmation_failed');
      }
      case 'POST /account/second-factor/confirm':
        return account ? model.secondFactors.judgeFirst(account, (body as { code: string }).code) : null;
      case 'DELETE /account/second-factor':
        return confirmed(model, asked) ?? (model.secondFactors.isInForce(by.accountId) ? 'accept' : refuse('invalid_state'));
      case 'DELETE /admin/users/{id}/second-factor':
        return judgeRemoval(model, asked);
      default:
        return null;
    }
  },

  saw(model, exchange) {
    const { operation, params, body, by, data } = exchange;
    useCode(model, exchange);
    switch (operation) {
      case 'POST /auth/second-factor':
        return completeLogin(model, exchange);
      case 'POST /account/second-factor':
        model.secondFactors.request(by.accountId, data.secret);
        model.secrets.add(data.secret, 'account', by.accountId);
        model.noted(exchange, 'second_factor.requested', 'user', by.accountId);
        return touch(by.accountId);
      case 'POST /account/second-factor/confirm':
        model.secondFactors.confirm(by.accountId, (body as { code: string }).code, data.recovery_codes);
        for (const code of data.recovery_codes) model.secrets.add(code, 'account', by.accountId);
        model.noted(exchange, 'second_factor.confirmed', 'user', by.accountId);
        mailOwner(model, by.accountId);
        return touch(by.accountId);
      case 'DELETE /account/second-factor':
        return remove(model, exchange, by.accountId);
      case 'DELETE /admin/users/{id}/second-factor':
        return removeLost(model, exchange, Number(params['id']));
      default:
        return [];
    }
  },

  refused(model, exchange) {
    const { operation, by, error } = exchange;
    const isOfLogin = operation === 'POST /auth/second-factor' || operation === 'POST /account/second-factor/confirm';
    // What no secret waits for is a try too.
    const isTry = error?.code === 'second_factor_failed' || (isOfLogin && error?.code === 'invalid_state');
    if (isTry) model.secondFactors.failed(actorOf(by));
    else if (!beforeCode.has(error?.code)) doubtCode(model, exchange);
  },

  async ask(inquiry, touched) {
    endWaiting(inquiry.model);
    for (const id of touchedIds(touched, 'account')) await askFactor(inquiry, id);
  },

  async askAll(inquiry) {
    for (const id of inquiry.model.accounts.keys()) await askFactor(inquiry, id);
  },
};

/** Refusals before a code is looked at. */
const beforeCode: ReadonlySet<unknown> = new Set([
  'password_confirmation_failed',
  'second_factor_required',
  'rate_limited',
  'unauthenticated',
  'csrf_failed',
  'forbidden',
  'forbidden_while_impersonating',
  'browser_session_required',
  'insufficient_scope',
]);

/** Whether a session is one whose code is still to come. */
export function isWaiting(model: Model, { by }: Pick<Asked, 'by'>): boolean {
  const session = model.sessions.get(by.credential ?? '');
  return session?.isOver === false && session.waitsUntil !== null;
}

/** Whether a waiting session may end at any moment. */
export const isEnding = ({ isOver, waitsUntil }: Session) => !isOver && waitsUntil !== null && Date.now() > waitsUntil - marginMs;

function endWaiting({ sessions }: Model): void {
  for (const session of sessions.values())
    if (session.waitsUntil !== null && Date.now() > session.waitsUntil + marginMs) session.isOver = true;
}

/** Only a session that waits takes a code, or a recovery code (ACC-28, ACC-29). */
function judgeLogin(model: Model, { by, body }: Asked): Judgement {
  const session = model.sessions.get(by.credential ?? '');
  if (session?.isOver === true) return refuse('csrf_failed', 'unauthenticated');
  if (!session || session.waitsUntil === null) return refuse('invalid_state');
  return model.secondFactors.judge(session.accountId, proofOf(body));
}

interface CodeLogin {
  code?: string;
  recovery_code?: string;
}

const proofOf = (body: unknown) => (body as CodeLogin).code ?? (body as CodeLogin).recovery_code ?? '';

/** Another's lost one, with a reason (ACC-31). */
function judgeRemoval(model: Model, asked: Asked): Judgement {
  const { params, body, by } = asked;
  const id = Number(params['id']);
  if ([...(body as { reason: string }).reason].length < shortestReason) return refuse('validation_failed');
  const wrong = confirmed(model, asked);
  if (wrong) return wrong;
  if (!model.accounts.has(id)) return refuse('not_found');
  if (id === by.accountId) return refuse('own_account');
  return model.secondFactors.isInForce(id) ? 'accept' : refuse('invalid_state');
}

/** A new session takes the place of the one that waited (ACC-3). */
function completeLogin(model: Model, exchange: Exchange): Touched[] {
  const { by, body } = exchange;
  const former = model.sessions.get(by.credential ?? '');
  if (!former) return [];
  former.isOver = true;
  const { accountId } = former;
  model.sessions.set(cookieOf(exchange) ?? '', { accountId, isOver: false, acting: null, waitsUntil: null });
  model.happened('session.started', 'user', accountId);
  if (model.secondFactors.use(accountId, proofOf(body))) noteRecovery(model, exchange, accountId);
  return touch(accountId);
}

/** An accepted confirmation has used its code. */
function useCode(model: Model, exchange: Exchange): void {
  const { operation, by } = exchange;
  const code = codeIn(exchange);
  const accountId = actorOf(by);
  if (code === undefined || by.scopes !== null || !model.secondFactors.isInForce(accountId)) return;
  const asks = asksInPerson(operation);
  if (asks === 'sometimes') doubtCode(model, exchange);
  if (asks === 'always' && model.secondFactors.use(accountId, code)) noteRecovery(model, exchange, accountId);
}

/** Whether a request that was refused for something else, or that needed no code, has used its code, the rules leave open. */
function doubtCode(model: Model, exchange: Exchange): void {
  const { operation, by } = exchange;
  const code = codeIn(exchange);
  if (code === undefined || by.scopes !== null || asksInPerson(operation) === 'never') return;
  const account = model.accounts.get(actorOf(by));
  if (!account || !model.secondFactors.doubt(account.id, code)) return;
  model.mayHappen('second_factor.recovery_code_used', 'user', account.id);
  model.mails.expectSecurity(account, false);
}

/** The use of a recovery code is mailed (ACC-32). */
function noteRecovery(model: Model, exchange: Exchange, accountId: number): void {
  model.noted(exchange, 'second_factor.recovery_code_used', 'user', accountId);
  mailOwner(model, accountId);
}

function mailOwner(model: Model, accountId: number): void {
  const account = model.accounts.get(accountId);
  if (account) model.mails.expectSecurity(account);
}

function remove(model: Model, exchange: Exchange, accountId: number): Touched[] {
  model.secondFactors.remove(accountId);
  model.noted(exchange, 'second_factor.removed', 'user', accountId);
  mailOwner(model, accountId);
  return touch(accountId);
}

/** The sessions of the account end with it, and so do impersonations (ACC-31). */
function removeLost(model: Model, exchange: Exchange, accountId: number): Touched[] {
  for (const session of model.sessions.values()) {
    if (session.accountId === accountId) session.isOver = true;
    if (session.acting?.accountId === accountId) session.acting = null;
  }
  return remove(model, exchange, accountId);
}

/** Its holder and administrators see whether an account has a second factor. */
async function askFactor(inquiry: Inquiry, id: number): Promise<void> {
  const { model, now, same, as, asAdministrator } = inquiry;
  const account = model.accounts.get(id);
  if (!account) return;
  const expected = model.secondFactors.isInForce(id);
  const listed = await asAdministrator('GET /admin/users', { query: `?q=${encodeURIComponent(account.email)}&limit=100` });
  const row = (listed.data as { id: number; second_factor: boolean }[]).find((one) => one.id === id);
  same(`administrators see whether account ${id} has a second factor (ACC-27, ACC-31)`, expected, row?.second_factor);
  for (const holder of inquiry.holders()) {
    const session = model.sessions.get(inquiry.credentialOf(holder) ?? '');
    if (!session || session.isOver || session.waitsUntil !== null || speaksFor(session, now).accountId !== id) continue;
    const { data } = await as(holder, 'GET /account');
    same(`${holder.name} sees whether account ${id} has a second factor (ACC-27)`, expected, data?.user.second_factor);
  }
}

const touch = (id: number): Touched[] => [{ kind: 'account', id }];
