import type { AccountHolder, AnonymousSession, Impersonation, SignedIn } from '../../../http/access/access.ts';
import { scopesOfRole } from '../../../http/access/scopes.ts';
import type { Language } from '../../../http/language.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hashToken } from '../secret-tokens.ts';
import { lastUseStepMs, sessionsInForce } from './sessions-in-force.ts';

/**
 * Finds the browser session of a cookie's token. Uses one statement, because every request of a browser pays for it. A blocked account
 * is not signed in, even if its session still exists.
 *
 * An impersonating session acts for the impersonated account (ACC-13). It acts for the administrator again when its time is over, when
 * they are no administrator any more, or when the user is blocked or promoted, even before the record is updated.
 * @param clock the domain's clock, which decides when an impersonation is over
 * @returns null for a token that is unknown, idle for 12 hours or older than 30 days in real time (ACC-21)
 */
export async function authenticateSession(db: Database, token: string, clock: Clock): Promise<SignedIn | AnonymousSession | null> {
  const present = new Date();
  const row = await sessionsInForce(db, present)
    .select(['s.id', 's.tokenHash', 's.userId', 's.csrfToken', 's.createdAt', 's.lastSeenAt', 's.expiresAt', 's.waitsForSecondFactor'])
    .select(['u.id as holderId', 'u.email', 'u.name', 'u.phone', 'u.role', 'u.status', 'u.language', 'u.emailConfirmed', 'u.secondFactor'])
    .select(['u.rightsNarrowedAt', 'i.rightsNarrowedAt as accountNarrowedAt'])
    .select([
      'i.id as accountId',
      'i.email as accountEmail',
      'i.name as accountName',
      'i.phone as accountPhone',
      'i.language as accountLanguage',
      'i.emailConfirmed as accountConfirmed',
      'i.secondFactor as accountSecondFactor',
    ])
    .select(['s.impersonationStartedAt', 's.impersonationExpiresAt'])
    .where('s.tokenHash', '=', hashToken(token))
    .executeTakeFirst();
  if (!row) return null;
  const { id, tokenHash, userId, csrfToken, createdAt, lastSeenAt, expiresAt, holderId, email, name, phone, role, status, language } = row;
  const { emailConfirmed, secondFactor, rightsNarrowedAt, waitsForSecondFactor: isWaiting } = row;
  const account = { userId: isWaiting ? null : userId, waitingUserId: isWaiting ? userId : null };
  const session = { id, tokenHash, ...account, csrfToken, createdAt, lastSeenAt, expiresAt };
  await noteUse(db, id, lastSeenAt, present);
  // An outer join fills all of a person's columns or none.
  if (
    holderId === null ||
    email === null ||
    name === null ||
    role === null ||
    status === null ||
    language === null ||
    emailConfirmed === null ||
    secondFactor === null
  )
    return { kind: 'anonymous_session', session };
  const person = { id: holderId, email, name, phone, role, status, language };
  const holder: AccountHolder = { ...person, emailConfirmed, secondFactor, rightsNarrowedAt };
  const { user, impersonation } = (await findAccount(row, holder, () => clock.now(db))) ?? { user: holder, impersonation: null };
  return { kind: 'signed_in', user, scopes: scopesOfRole(user.role), by: { kind: 'session', session, impersonation } };
}

/** The impersonated account, from the row of the administrator's session. */
interface ImpersonationColumns {
  accountId: number | null;
  accountEmail: string | null;
  accountName: string | null;
  accountPhone: string | null;
  accountLanguage: Language | null;
  accountConfirmed: boolean | null;
  accountSecondFactor: boolean | null;
  accountNarrowedAt: Date | null;
  impersonationStartedAt: Date | null;
  impersonationExpiresAt: Date | null;
}

/** @param timeOf reads the domain's clock; called only for an impersonation, so that other requests do not pay for it */
async function findAccount(
  row: ImpersonationColumns,
  { id, email, name, secondFactor }: AccountHolder,
  timeOf: () => Promise<Date>,
): Promise<{ user: AccountHolder; impersonation: Impersonation } | null> {
  const { accountId, accountEmail, accountName, accountPhone, accountLanguage, accountConfirmed, accountSecondFactor } = row;
  const { impersonationStartedAt: startedAt, impersonationExpiresAt: expiresAt } = row;
  if (accountId === null || accountEmail === null || accountName === null || accountLanguage === null) return null;
  if (accountConfirmed === null || accountSecondFactor === null) return null;
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
      emailConfirmed: accountConfirmed,
      secondFactor: accountSecondFactor,
      rightsNarrowedAt: row.accountNarrowedAt,
    },
    impersonation: { administrator: { id, email, name, secondFactor }, startedAt, expiresAt },
  };
}

async function noteUse(db: Database, id: string, lastSeenAt: Date, present: Date): Promise<void> {
  const step = new Date(present.getTime() - lastUseStepMs);
  if (lastSeenAt > step) return;
  // The statement repeats the condition, so that parallel requests of one page write once.
  await db.updateTable('sessions').set({ lastSeenAt: present }).where('id', '=', id).where('lastSeenAt', '<=', step).execute();
}
