export interface Account {
  id: number;
  role: 'user' | 'administrator';
  status: 'active' | 'blocked';
  /** Of the wallet. */
  balance: number;
  email: string;
  password: string;
  /** Whether a link of a mail to the address was used. */
  isConfirmed: boolean;
  /** What was mailed to the address, by the page of its links. */
  links: Record<Link['page'], SentLinks>;
  /** Of its texts; Russian until it chooses. With the time of the choice, by the machine's clock. */
  language?: { name: 'ru' | 'kk' | 'en'; since: number };
}

/** A newer link replaces the older ones. */
export interface SentLinks {
  sent: number;
  sentAt: Date;
  /** The newest one was used, or something ended it. */
  isClosed: boolean;
}

/** A link of a mail, by its token. */
export interface Link {
  accountId: number;
  page: 'confirm-email' | 'reset';
  /** Counted from 1. */
  number: number;
}

export interface Session {
  /** As the list of the account's sessions showed it to the session itself. */
  id?: string;
  /** The account that signed in; under impersonation the administrator. */
  accountId: number;
  isOver: boolean;
  /** The account that its administrator impersonates, until this instant at the latest. */
  acting: { accountId: number; until: Date } | null;
  /** While it waits for the code of a second factor, until when, by the machine's clock (ACC-28); null once it is whole. */
  waitsUntil: number | null;
}

/** Whose records a session reaches at an instant, and which administrator acts there. */
export function speaksFor({ accountId, acting }: Session, now: Date): { accountId: number; administratorId: number | null } {
  if (acting === null || now >= acting.until) return { accountId, administratorId: null };
  return { accountId: acting.accountId, administratorId: accountId };
}

/** A key of a program. */
export interface Key {
  id: number;
  ownerId: number;
  scopes: string[];
  expiresAt: Date;
  isRevoked: boolean;
}

/** Administrators who are told of what they may have to act on: blocked ones are not. */
export function administratorsOf({ accounts }: { accounts: ReadonlyMap<number, Account> }): number[] {
  return [...accounts.values()].filter(({ role, status }) => role === 'administrator' && status === 'active').map(({ id }) => id);
}
