import type { ApiKey, Session, User } from '../accounts/entities.ts';
import type { Scope } from '../accounts/scopes.ts';

/** Who may call a route; the column "access" of the specification's list of endpoints. */
export type Access =
  /** Anyone; credentials are not looked at. */
  | { kind: 'public' }
  /** A browser with a session, signed in or not. */
  | { kind: 'session' }
  /** Anyone signed in, by session or key. */
  | { kind: 'account' }
  /** Signed in by a browser session; a key may not. */
  | { kind: 'browser' }
  /** Signed in, with this scope. */
  | { kind: 'scope'; scope: Scope }
  /** An administrator, with this scope. */
  | { kind: 'administrator'; scope: 'admin:read' | 'admin:write' };

export const access = {
  public: { kind: 'public' },
  session: { kind: 'session' },
  account: { kind: 'account' },
  browser: { kind: 'browser' },
  scope: (scope: Scope) => ({ kind: 'scope', scope }) as const,
  administrator: (scope: 'admin:read' | 'admin:write') => ({ kind: 'administrator', scope }) as const,
} as const;

/** Somebody whose credentials were checked. `user` holds what rules ask of an account, never the password's hash. */
export interface SignedIn {
  kind: 'signed_in';
  user: Pick<User, 'id' | 'email' | 'name' | 'phone' | 'role' | 'status'>;
  scopes: readonly Scope[];
  /** By what: a browser session or an API key. */
  by: { kind: 'session'; session: Session } | { kind: 'key'; key: Pick<ApiKey, 'id' | 'name' | 'prefix'> };
}

export function isAdministrator({ user }: SignedIn): boolean {
  return user.role === 'administrator';
}

/** The one rule of private records: their owner reads them, and so do administrators; for anybody else they do not exist. */
export function mayReadRecordOf(user: Pick<SignedIn['user'], 'id' | 'role'>, ownerId: number): boolean {
  return user.id === ownerId || user.role === 'administrator';
}

/** A browser session in which nobody has signed in. */
export interface AnonymousSession {
  kind: 'anonymous_session';
  session: Session;
}

export interface Stranger {
  kind: 'stranger';
}

export type Principal = SignedIn | AnonymousSession | Stranger;

/** What a handler may rely on, given its route's access. */
export type PrincipalOf<A extends Access> = A['kind'] extends 'public' ? Stranger : A['kind'] extends 'session' ? Principal : SignedIn;
