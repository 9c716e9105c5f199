import type { SignedIn } from '../../../http/access/access.ts';
import { scopesOfRole } from '../../../http/access/scopes.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hashToken } from '../secret-tokens.ts';
import { lastUseStepMs } from '../sessions/sessions-in-force.ts';
import { mayBeApiKey } from './create-api-key.ts';

/**
 * Finds the account that a Bearer key acts for (ACC-7). Grants those scopes of the key that its owner's role still has (ACC-8).
 * Text without the shape of a key costs no query; an unknown key costs one index lookup.
 * @param clock the domain's clock, which decides when the key expires
 * @returns null for a key that is unknown, revoked or expired, or whose owner is blocked (ACC-11)
 */
export async function authenticateApiKey(db: Database, secret: string, clock: Clock): Promise<SignedIn | null> {
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
