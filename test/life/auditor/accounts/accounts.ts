import { judgeCaptcha } from './captchas.ts';
import { confirmed } from './in-person.ts';
import { followLink, hasWeakPassword, isInForce, type LinkBody, sendLink } from './mailed-links.ts';
import { endSessionsOf, liveSessionsOf } from './own-sessions.ts';
import { isWeak } from './passwords.ts';
import { isEnding } from './second-factor.ts';
import { type Area, type Asked, type Touched, touchedIds } from '../area.ts';
import { actorOf, cookieOf, type Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Judgement, refuse } from '../judgement.ts';
import { type Account, type Session, speaksFor } from './account-records.ts';
import type { Model } from '../model.ts';

const impersonationMs = 60 * 60_000;
/** For a code, in real time (ACC-28). */
const secondFactorMs = 5 * 60_000;

/** Accounts, their sessions and impersonations, by `docs/rules/accounts.md`. */
export const accountsArea: Area = {
  records: ['user'],

  judge(model, asked, now) {
    switch (asked.operation) {
      case 'POST /auth/login':
        return judgeLogin(model, asked);
      case 'POST /auth/logout':
        return isOver(model, asked) ? refuse('csrf_failed') : 'accept';
      case 'POST /auth/password':
        if (isWeak((asked.body as { password: string }).password)) return refuse('validation_failed');
        return confirmed(model, asked, 'current_password') ?? 'accept';
      case 'PATCH /admin/users/{id}':
        return judgeUserChange(model, asked);
      case 'POST /admin/impersonate':
        return judgeImpersonation(model, asked);
      case 'POST /auth/impersonation/stop':
        return judgeStop(model, asked, now);
      case 'DELETE /account/sessions':
      case 'PATCH /account':
        return 'accept';
      case 'POST /auth/forgot':
        // Whether or not the account exists (ACC-6).
        return judgeCaptcha(model, asked, now) ?? 'accept';
      case 'POST /account/email-confirmation':
        // More than three links an hour are refused too (ACC-24).
        return model.accounts.get(asked.by.accountId)?.isConfirmed === true ? refuse('invalid_state', 'rate_limited') : 'open';
      case 'POST /auth/confirm-email':
      case 'POST /auth/reset':
        // A browser whose session is over has no token for its request (ACC-4).
        if (isOver(model, asked)) return refuse('csrf_failed');
        if (hasWeakPassword(asked.body as LinkBody)) return refuse('validation_failed');
        return isInForce(model, asked.body as LinkBody, now) ? 'accept' : refuse('token_invalid');
      default:
        return null;
    }
  },

  saw(model, exchange) {
    const { operation, params, body, by, at } = exchange;
    const former = model.sessions.get(by.credential ?? '');
    switch (operation) {
      case 'POST /auth/login': {
        if (former) former.isOver = true;
        const accountId = accountOf(model, (body as { email: string }).email)?.id ?? 0;
        const isWhole = !model.secondFactors.isInForce(accountId);
        const waitsUntil = isWhole ? null : Date.now() + secondFactorMs;
        model.sessions.set(cookieOf(exchange) ?? '', { accountId, isOver: false, acting: null, waitsUntil });
        model.happened(isWhole ? 'session.started' : 'session.second_factor_awaited', 'user', accountId);
        return touch(accountId, former?.accountId);
      }
      case 'POST /auth/logout':
        if (former) former.isOver = true;
        return touch(former?.accountId);
      case 'POST /auth/password': {
        const account = model.accounts.get(by.accountId);
        if (account) account.password = (body as { password: string }).password;
        if (account) account.links.reset.isClosed = true;
        endSessionsOf(model, by.accountId);
        return renew(model, exchange, null);
      }
      case 'PATCH /admin/users/{id}':
        changeUser(model, exchange, body as UserChange);
        return touch(Number(params['id']));
      case 'POST /admin/impersonate': {
        if (former) former.isOver = true;
        const { user_id: accountId } = body as { user_id: number };
        return renew(model, exchange, { accountId, until: new Date(at.getTime() + impersonationMs) });
      }
      case 'POST /auth/impersonation/stop':
        if (former) former.isOver = true;
        return renew(model, exchange, null);
      case 'DELETE /account/sessions':
        for (const ended of liveSessionsOf(model, by.accountId))
          if (ended !== former) model.noted(exchange, 'session.ended', 'user', by.accountId);
        endSessionsOf(model, by.accountId, by.credential ?? '');
        return touch(by.accountId);
      case 'PATCH /account': {
        const account = model.accounts.get(by.accountId);
        const { language } = body as LanguageChoice;
        if (account && language !== (account.language?.name ?? 'ru')) model.noted(exchange, 'account.updated', 'user', account.id);
        if (account) account.language = { name: language, since: Date.now() };
        model.notices.touched.add(by.accountId);
        return touch(by.accountId);
      }
      case 'POST /account/email-confirmation':
        return sendLink(model.accounts.get(by.accountId), 'confirm-email', at);
      case 'POST /auth/forgot': {
        const { email } = body as { email: string };
        const account = accountOf(model, email);
        return account?.status === 'active' ? sendLink(account, 'reset', at) : [];
      }
      case 'POST /auth/confirm-email':
      case 'POST /auth/reset':
        return followLink(model, body as LinkBody);
      default:
        return [];
    }
  },

  async ask(inquiry, touched) {
    for (const id of touchedIds(touched, 'account')) await askAccount(inquiry, id);
  },

  async askAll(inquiry) {
    for (const id of inquiry.model.accounts.keys()) await askAccount(inquiry, id);
  },
};

/** Every browser that signed in to an account: it reaches the account, the one that it impersonates, or nothing any more. */
async function askAccount(inquiry: Inquiry, id: number): Promise<void> {
  const { model, now, same, as, asAdministrator } = inquiry;
  const account = model.accounts.get(id);
  if (!account) return;
  for (const holder of inquiry.holders()) {
    const session = model.sessions.get(inquiry.credentialOf(holder) ?? '');
    if (!session || (session.accountId !== id && session.acting?.accountId !== id)) continue;
    if (isEnding(session)) continue;
    const { status, data } = await as(holder, 'GET /account');
    const { accountId, administratorId } = speaksFor(session, now);
    const whole = { status: 200, account: accountId, administrator: administratorId };
    const expected = session.isOver ? { status: 401 } : session.waitsUntil === null ? whole : { status: 403 };
    const seen =
      status === 200 ? { status, account: data.user.id, administrator: data.impersonation?.administrator.id ?? null } : { status };
    same(`the session of ${holder.name} reaches what the rules let it (ACC-11, ACC-13, ACC-17, ACC-18, ACC-26, ACC-28)`, expected, seen);
  }
  const listed = await asAdministrator('GET /admin/users', { query: `?q=${encodeURIComponent(account.email)}&limit=100` });
  const row = (listed.data as ListedUser[]).find((one) => one.id === id);
  const shown = row && { role: row.role, status: row.status, isConfirmed: row.email_confirmed, sessions: row.sessions };
  const { role, status, isConfirmed } = account;
  const sessions = liveSessionsOf(model, id).length;
  const person = inquiry.personOf(id);
  if (person && inquiry.isActive(person) && !inquiry.isSignedOut(person)) {
    const { meta } = await as(person, 'GET /account/sessions', { query: '?limit=1' });
    same(`account ${id} sees its browser sessions (ACC-26)`, sessions, meta?.total);
  }
  same(
    `administrators see account ${id} as it is, with its sessions (ACC-11, ACC-17, ACC-26)`,
    { role, status, isConfirmed, sessions },
    shown,
  );
}

interface ListedUser extends Pick<Account, 'id' | 'role' | 'status'> {
  email_confirmed: boolean;
  sessions: number;
}

interface LanguageChoice {
  language: 'ru' | 'kk' | 'en';
}

interface UserChange {
  role?: Account['role'];
  status?: Account['status'];
}

function touch(...ids: (number | undefined)[]): Touched[] {
  return ids.flatMap((id) => (id === undefined ? [] : [{ kind: 'account' as const, id }]));
}

function renew(model: Model, exchange: Exchange, acting: Session['acting']): Touched[] {
  const accountId = actorOf(exchange.by);
  model.sessions.set(cookieOf(exchange) ?? '', { accountId, isOver: false, acting, waitsUntil: null });
  return touch(accountId, acting?.accountId);
}

/** A new role or status ends every session and impersonation of the account; an impersonating session returns to its administrator (ACC-13, ACC-17). */
function changeUser(model: Model, exchange: Exchange, { role, status }: UserChange): void {
  const id = Number(exchange.params['id']);
  const account = model.accounts.get(id);
  if (!account) return;
  const isNewRole = role !== undefined && role !== account.role;
  const isNewStatus = status !== undefined && status !== account.status;
  if (!isNewRole && !isNewStatus) return;
  if (isNewRole) model.noted(exchange, 'user.role_changed', 'user', id);
  if (isNewStatus) model.noted(exchange, `user.${status === 'blocked' ? 'blocked' : 'unblocked'}`, 'user', id);
  model.mails.expectSecurity(account);
  account.role = role ?? account.role;
  if (account.role === 'administrator') model.onceAdministrators.add(id);
  account.status = status ?? account.status;
  if (account.status === 'blocked') account.links.reset.isClosed = true;
  endSessionsOf(model, id);
  for (const session of model.sessions.values()) if (session.acting?.accountId === id) session.acting = null;
}

/** A browser whose session is over; a program with a key has none. */
export function isOver(model: Model, { by }: Pick<Asked, 'by'>): boolean {
  return model.sessions.get(by.credential ?? '')?.isOver === true;
}

const accountOf = ({ accounts }: Model, email: string) => accounts.values().find((one) => one.email === email.toLowerCase());

/** Unknown address and wrong password have one answer (ACC-2). */
function judgeLogin(model: Model, { body }: Asked): Judgement {
  const { email, password } = body as { email: string; password: string };
  const account = accountOf(model, email);
  if (!account || account.password !== password) return refuse('invalid_credentials');
  return account.status === 'blocked' ? refuse('account_blocked') : 'accept';
}

function judgeUserChange(model: Model, asked: Asked): Judgement {
  const wrong = confirmed(model, asked);
  if (wrong) return wrong;
  const account = model.accounts.get(Number(asked.params['id']));
  if (!account) return refuse('not_found');
  if (account.id === actorOf(asked.by)) return refuse('own_account');
  const { role = account.role } = asked.body as UserChange;
  return role === 'administrator' && account.role !== role && !account.isConfirmed ? refuse('email_not_confirmed') : 'accept';
}

/** An active user, never another administrator (ACC-13). */
function judgeImpersonation(model: Model, asked: Asked): Judgement {
  const wrong = confirmed(model, asked);
  if (wrong) return wrong;
  const account = model.accounts.get((asked.body as { user_id: number }).user_id);
  if (!account) return refuse('not_found');
  return account.role === 'administrator' || account.status === 'blocked' ? refuse('cannot_impersonate') : 'accept';
}

function judgeStop(model: Model, { by }: Asked, now: Date): Judgement {
  const session = model.sessions.get(by.credential ?? '');
  if (session?.acting && now < session.acting.until) return 'accept';
  return model.accounts.get(by.accountId)?.role === 'administrator' ? refuse('invalid_state') : refuse('forbidden');
}
