import type { AccountHolder, AnonymousSession, Authenticator, Impersonation, SignedIn } from '../../../http/access/access.ts';
import { scopesOfRole } from '../../../http/access/scopes.ts';
import type { Language } from '../../../http/language.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { auditRead } from '../../audit/index.ts';
import { mayBeApiKey } from '../api-keys/create-api-key.ts';
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

/** Authenticates the credentials of a request for the HTTP layer. */
export const authenticator: Authenticator = {
  byKey: authenticateApiKey,
  bySession: authenticateSession,
  recordRead: (db, caller, { kind, subject, operation }, now) => auditRead({ ...caller, db, now }, `${kind}.read`, subject, { operation }),
};

/**
 * Finds the account that a Bearer key acts for (ACC-7). Grants those scopes of the key that its owner's role still has (ACC-8).
 * Text without the shape of a key costs no query; an unknown key costs one index lookup.
 * @param clock the domain's clock, which decides when the key expires
 * @returns null for a key that is unknown, revoked or expired, or whose owner is blocked (ACC-11)
 */
async function authenticateApiKey(db: Database, secret: string, clock: Clock): Promise<SignedIn | null> {
  if (!mayBeApiKey(secret)) return null;
  const row = await db
    .selectFrom('api_keys as k')
    .innerJoin('users as u', 'u.id', 'k.userId')
    .select([
      'k.id',
      'k.name as keyName',
      'k.prefix',
      'k.scopes',
      'k.expiresAt',
      'k.lastUsedAt',
      'k.userId',
      'u.email',
      'u.name',
      'u.phone',
      'u.role',
      'u.status',
      'u.language',
      'u.emailConfirmed',
      'u.secondFactor',
      'u.rightsNarrowedAt',
    ])
    .where('k.keyHash', '=', hashToken(secret))
    .where('k.revokedAt', 'is', null)
    .where('u.status', '=', 'active')
    .executeTakeFirst();
  if (!row) return null;
  const now = await clock.now(db);
  if (row.expiresAt <= now) return null;
  await noteKeyUse(db, row.id, row.lastUsedAt, now);
  const { email, name, phone, role, status, language, emailConfirmed, secondFactor, rightsNarrowedAt } = row;
  return {
    kind: 'signed_in',
    user: { id: row.userId, email, name, phone, role, status, language, emailConfirmed, secondFactor, rightsNarrowedAt },
    scopes: scopesOfRole(role).filter((scope) => row.scopes.includes(scope)),
    by: { kind: 'key', key: { id: row.id, name: row.keyName, prefix: row.prefix } },
  };
}

async function noteKeyUse(db: Database, id: number, lastUsedAt: Date | null, now: Date): Promise<void> {
  const step = new Date(now.getTime() - lastUseStepMs);
  if (lastUsedAt !== null && lastUsedAt > step) return;
  // The statement repeats the condition, so that parallel requests of one program write once.
  await db
    .updateTable('api_keys')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', step)]))
    .execute();
}
