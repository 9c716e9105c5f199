import type { Variables } from '../../registry/config.ts';
import type { Clock } from '../../platform/time/clock.ts';
import type { Caller } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Language } from '../language.ts';
import type { Scope } from './scopes.ts';

/** Who may call a route. */
export type Access = (
  | /** Everyone; credentials are ignored. */
    { kind: 'public' }
  /** A browser with a session, signed in or not. */
  | { kind: 'session' }
  /** Any signed-in caller, with a session or a key. */
  | { kind: 'account' }
  /** A signed-in browser session, no key. */
  | { kind: 'browser' }
  /** Signed in with this scope. */
  | { kind: 'scope'; scope: Scope }
  /** An administrator with this scope, not under impersonation. */
  | { kind: 'administrator'; scope: 'admin:read' | 'admin:write' }
  /** An administrator's browser session, checked as the administrator also under impersonation. */
  | { kind: 'impersonator' }
) &
  Restrictions;

interface Restrictions {
  /** Refuses API keys. */
  browserOnly?: true;
  /** Refuses impersonation. */
  inPersonOnly?: true;
  /** Also open while the second factor is not given, or not set up although required (ACC-28). */
  isBeforeSecondFactor?: true;
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
  beforeSecondFactor: <const A extends Access>(rule: A) => ({ ...rule, isBeforeSecondFactor: true }) as const,
} as const;

/** Returns whether only browsers may call; their changing requests need the CSRF token. */
export function isOfBrowsers({ kind, browserOnly }: Access): boolean {
  return kind === 'session' || kind === 'browser' || kind === 'impersonator' || browserOnly === true;
}

/** Returns whether the route refuses impersonation; all routes of the administration do. */
export function isClosedToImpersonation({ kind, inPersonOnly }: Access): boolean {
  return kind === 'administrator' || inPersonOnly === true;
}

/** Returns whether a session may call that waits for the code of its second factor (ACC-28). */
export function isOpenToWaiting({ kind, isBeforeSecondFactor }: Access): boolean {
  return kind === 'session' && isBeforeSecondFactor === true;
}

/** The parts of an account that access rules need; never the password hash. */
export interface AccountHolder {
  id: number;
  email: string;
  name: string;
  phone: string | null;
  role: 'user' | 'administrator';
  status: 'active' | 'blocked';
  language: Language;
  emailConfirmed: boolean;
  secondFactor: boolean;
  /** When the account last lost a right to read, in real time: answers stored before are not replayed. */
  rightsNarrowedAt: Date | null;
}

/** A browser session as requests see it. */
export interface BrowserSession {
  id: string;
  tokenHash: string;
  /** The signed-in account; under impersonation the administrator. */
  userId: number | null;
  /** The account whose password was given, and whose second factor was not yet (ACC-28). */
  waitingUserId: number | null;
  csrfToken: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

/** An impersonation in an administrator's own browser session. */
export interface Impersonation {
  administrator: Pick<AccountHolder, 'id' | 'email' | 'name' | 'secondFactor'>;
  startedAt: Date;
  expiresAt: Date;
}

/** A caller with verified credentials. */
export interface SignedIn {
  kind: 'signed_in';
  /** The account; under impersonation the impersonated user. */
  user: AccountHolder;
  scopes: readonly Scope[];
  /** The credential: a browser session, possibly impersonating, or an API key. */
  by:
    | { kind: 'session'; session: BrowserSession; impersonation: Impersonation | null }
    | { kind: 'key'; key: { id: number; name: string; prefix: string } };
}

/** Returns the impersonation of this call, if any. */
export function impersonationOf(principal: Principal): Impersonation | null {
  return principal.kind === 'signed_in' && principal.by.kind === 'session' ? principal.by.impersonation : null;
}

/** Whether the person uses their own browser: no API key, no impersonation. */
export function isInPerson({ by }: SignedIn): boolean {
  return by.kind === 'session' && by.impersonation === null;
}

export function isAdministrator({ user }: SignedIn): boolean {
  return user.role === 'administrator';
}

/** Returns whether an account must set up a second factor before it does anything else (ACC-31). */
export function mustSetUpSecondFactor(
  { SECOND_FACTOR: demanded }: Pick<Variables, 'SECOND_FACTOR'>,
  { role, secondFactor }: Pick<AccountHolder, 'role' | 'secondFactor'>,
): boolean {
  return demanded === 'administrators' && role === 'administrator' && !secondFactor;
}

/** Returns whether this call may read other accounts' records (API-3). The role alone is not enough: a key has only its scopes. */
export function mayReadOthers(principal: Pick<SignedIn, 'user' | 'scopes'>): boolean {
  return principal.user.role === 'administrator' && principal.scopes.includes('admin:read');
}

/** Returns whether this call may decide and change as an administrator: the same for `admin:write`. */
export function mayAdminister(principal: Pick<SignedIn, 'user' | 'scopes'>): boolean {
  return principal.user.role === 'administrator' && principal.scopes.includes('admin:write');
}

/** A browser session before sign-in. */
export interface AnonymousSession {
  kind: 'anonymous_session';
  session: BrowserSession;
}

/** A request without any credentials. */
export interface Anonymous {
  kind: 'anonymous';
}

export type Principal = SignedIn | AnonymousSession | Anonymous;

/** Writes the audit row of a read, as `<kind>.read`. */
type RecordRead = (
  db: Database,
  caller: Caller,
  read: { kind: string; subject: { kind: string; id: number | string }; operation: string },
  now: Date,
) => Promise<void>;

/** Resolves credentials to a principal and audits reads under impersonation; implemented by the accounts area. Null: unknown credentials. */
export interface Authenticator {
  byKey(db: Database, secret: string, clock: Clock): Promise<SignedIn | null>;
  bySession(db: Database, token: string, clock: Clock): Promise<SignedIn | AnonymousSession | null>;
  recordRead: RecordRead;
}

/** The principal of a handler, by its route's access. */
export type PrincipalOf<A extends Access> = A['kind'] extends 'public' ? Anonymous : A['kind'] extends 'session' ? Principal : SignedIn;
