import type { AccountHolder, AnonymousSession, Authenticator, Impersonation, SignedIn } from '../../../http/access/access.ts';
import { scopesOfRole } from '../../../http/access/scopes.ts';
import type { Language } from '../../../http/language.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { authenticateApiKey } from '../api-keys/authenticate-api-key.ts';
import { hashToken } from '../secret-tokens.ts';
import { lastUseStepMs, sessionsInForce } from './sessions-in-force.ts';

/**
 * Finds the browser session of a cookie's token (decisions.md §2). One statement, since every request of a browser pays for it.
 * Somebody who was blocked meanwhile keeps the session but is not signed in.
 *
 * A session in which an administrator acts in somebody's account speaks for that account. It is his own again from the moment in which its time
 * is over, he is no administrator, or the account is blocked or an administrator's, whether or not the record says so yet (decisions.md §9).
 * @param clock the domain's, which decides on the time of an impersonation
 * @returns null for a token that is unknown, idle for 12 hours or older than 30 days (in real time)
 */
export async function authenticateSession(db: Database, token: string, clock: Clock): Promise<SignedIn | AnonymousSession | null> {
  const present = new Date();
  const row = await sessionsInForce(db, present)
    .select(['s.id', 's.tokenHash', 's.userId', 's.csrfToken', 's.createdAt', 's.lastSeenAt', 's.expiresAt'])
    .select(['u.id as holderId', 'u.email', 'u.name', 'u.phone', 'u.role', 'u.status', 'u.language'])
    .select([
      'i.id as accountId',
      'i.email as accountEmail',
      'i.name as accountName',
      'i.phone as accountPhone',
      'i.language as accountLanguage',
    ])
    .select(['s.impersonationStartedAt', 's.impersonationExpiresAt'])
    .where('s.tokenHash', '=', hashToken(token))
    .executeTakeFirst();
  if (!row) return null;
  const { id, tokenHash, userId, csrfToken, createdAt, lastSeenAt, expiresAt, holderId, email, name, phone, role, status, language } = row;
  const session = { id, tokenHash, userId, csrfToken, createdAt, lastSeenAt, expiresAt };
  await noteUse(db, id, lastSeenAt, present);
  // An outer join fills all of a person's columns or none.
  if (holderId === null || email === null || name === null || role === null || status === null || language === null)
    return { kind: 'anonymous_session', session };
  const holder: AccountHolder = { id: holderId, email, name, phone, role, status, language };
  const { user, impersonation } = (await findAccount(row, holder, () => clock.now(db))) ?? { user: holder, impersonation: null };
  return { kind: 'signed_in', user, scopes: scopesOfRole(user.role), by: { kind: 'session', session, impersonation } };
}

/** The account that an administrator acts in, as the row of his session has it. */
interface ImpersonationColumns {
  accountId: number | null;
  accountEmail: string | null;
  accountName: string | null;
  accountPhone: string | null;
  accountLanguage: Language | null;
  impersonationStartedAt: Date | null;
  impersonationExpiresAt: Date | null;
}

/** @param timeOf is asked only where there is an impersonation: every other request does without it */
async function findAccount(
  row: ImpersonationColumns,
  { id, email, name }: AccountHolder,
  timeOf: () => Promise<Date>,
): Promise<{ user: AccountHolder; impersonation: Impersonation } | null> {
  const { accountId, accountEmail, accountName, accountPhone, accountLanguage } = row;
  const { impersonationStartedAt: startedAt, impersonationExpiresAt: expiresAt } = row;
  if (accountId === null || accountEmail === null || accountName === null || accountLanguage === null) return null;
  if (startedAt === null || expiresAt === null) return null;
  if (expiresAt <= (await timeOf())) return null;
  return {
    user: {
      id: accountId,
      email: accountEmail,
      name: accountName,
      phone: accountPhone,
      role: 'user',
      status: 'active',
      language: accountLanguage,
    },
    impersonation: { administrator: { id, email, name }, startedAt, expiresAt },
  };
}

async function noteUse(db: Database, id: string, lastSeenAt: Date, present: Date): Promise<void> {
  const step = new Date(present.getTime() - lastUseStepMs);
  if (lastSeenAt > step) return;
  // The condition stands in the statement too, so that parallel requests of one page write once.
  await db.updateTable('sessions').set({ lastSeenAt: present }).where('id', '=', id).where('lastSeenAt', '<=', step).execute();
}

/** Tells the HTTP layer whose credentials these are. */
export const authenticator: Authenticator = { byKey: authenticateApiKey, bySession: authenticateSession };
