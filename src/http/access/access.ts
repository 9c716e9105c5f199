import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Language } from '../language.ts';
import type { Scope } from './scopes.ts';

/** Who may call a route; the column "access" of the specification's list of endpoints. */
export type Access = (
  | /** Anyone; credentials are not looked at. */
    { kind: 'public' }
  /** A browser with a session, signed in or not. */
  | { kind: 'session' }
  /** Anyone signed in, by session or key. */
  | { kind: 'account' }
  /** Signed in by a browser session; a key may not. */
  | { kind: 'browser' }
  /** Signed in, with this scope. */
  | { kind: 'scope'; scope: Scope }
  /** An administrator in his own name, with this scope. */
  | { kind: 'administrator'; scope: 'admin:read' | 'admin:write' }
  /** An administrator by a browser session, judged as himself even while he acts in somebody's account. */
  | { kind: 'impersonator' }
) &
  Restrictions;

interface Restrictions {
  /** By a browser session alone: a key may not, whatever its scopes. */
  browserOnly?: true;
  /** The account's holder alone, and not an administrator who acts in the account (service.md "Administration"). */
  inPersonOnly?: true;
}

/** `inBrowser` and `inPerson` restrict another rule: `access.inPerson(access.browser)`. */
export const access = {
  public: { kind: 'public' },
  session: { kind: 'session' },
  account: { kind: 'account' },
  browser: { kind: 'browser' },
  scope: (scope: Scope) => ({ kind: 'scope', scope }) as const,
  administrator: (scope: 'admin:read' | 'admin:write') => ({ kind: 'administrator', scope }) as const,
  impersonator: { kind: 'impersonator' },
  inBrowser: <const A extends Access>(rule: A) => ({ ...rule, browserOnly: true }) as const,
  inPerson: <const A extends Access>(rule: A) => ({ ...rule, inPersonOnly: true }) as const,
} as const;

/** Whether only browsers get through; their changing requests need the CSRF token. */
export function isOfBrowsers({ kind, browserOnly }: Access): boolean {
  return kind === 'session' || kind === 'browser' || kind === 'impersonator' || browserOnly === true;
}

/** Whether an administrator who acts in somebody's account is refused; the whole administration is left at the door. */
export function isClosedToImpersonation({ kind, inPersonOnly }: Access): boolean {
  return kind === 'administrator' || inPersonOnly === true;
}

/** What the rules ask of an account; never the password's hash. */
export interface AccountHolder {
  id: number;
  email: string;
  name: string;
  phone: string | null;
  role: 'user' | 'administrator';
  status: 'active' | 'blocked';
  language: Language;
}

/** A browser's session as requests know it. */
export interface BrowserSession {
  id: string;
  tokenHash: string;
  /** Who signed in; under impersonation the administrator. */
  userId: number | null;
  csrfToken: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

/** An administrator acts in somebody's account from his own browser. */
export interface Impersonation {
  administrator: Pick<AccountHolder, 'id' | 'email' | 'name'>;
  startedAt: Date;
  expiresAt: Date;
}

/** Somebody whose credentials were checked. */
export interface SignedIn {
  kind: 'signed_in';
  /** Whose account it is that is acted in: under impersonation not the administrator's. */
  user: AccountHolder;
  scopes: readonly Scope[];
  /** By what: a browser session, which an administrator may have turned to this account, or an API key. */
  by:
    | { kind: 'session'; session: BrowserSession; impersonation: Impersonation | null }
    | { kind: 'key'; key: { id: number; name: string; prefix: string } };
}

/** The impersonation by which this call acts in its account; null for the holder's own. */
export function impersonationOf(principal: Principal): Impersonation | null {
  return principal.kind === 'signed_in' && principal.by.kind === 'session' ? principal.by.impersonation : null;
}

export function isAdministrator({ user }: SignedIn): boolean {
  return user.role === 'administrator';
}

/**
 * Whether this call may look at what others own. The role alone does not say so: a key does what its scopes say, an administrator's too
 * (service.md "Authentication" 2).
 */
export function mayReadOthers(principal: Pick<SignedIn, 'user' | 'scopes'>): boolean {
  return principal.user.role === 'administrator' && principal.scopes.includes('admin:read');
}

/** Whether this call may decide and change as the administration does: the same, for `admin:write`. */
export function mayAdminister(principal: Pick<SignedIn, 'user' | 'scopes'>): boolean {
  return principal.user.role === 'administrator' && principal.scopes.includes('admin:write');
}

/** A browser session in which nobody has signed in. */
export interface AnonymousSession {
  kind: 'anonymous_session';
  session: BrowserSession;
}

/** A request without any credentials. */
export interface Anonymous {
  kind: 'anonymous';
}

export type Principal = SignedIn | AnonymousSession | Anonymous;

/** Knows whose credentials these are; the accounts' area implements it. Null: nobody's. */
export interface Authenticator {
  byKey(db: Database, secret: string, clock: Clock): Promise<SignedIn | null>;
  bySession(db: Database, token: string, clock: Clock): Promise<SignedIn | AnonymousSession | null>;
}

/** What a handler may rely on, given its route's access. */
export type PrincipalOf<A extends Access> = A['kind'] extends 'public' ? Anonymous : A['kind'] extends 'session' ? Principal : SignedIn;
