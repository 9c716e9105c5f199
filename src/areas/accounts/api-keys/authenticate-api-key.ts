import type { SignedIn } from '../../../http/access/access.ts';
import { scopesOfRole } from '../../../http/access/scopes.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hashToken } from '../secret-tokens.ts';
import { lastUseStepMs } from '../sessions/sessions-in-force.ts';
import { mayBeApiKey } from './create-api-key.ts';

/**
 * Finds whom a Bearer key speaks for (service.md "Authentication" 1, 2). The scopes are those of the key that its owner's role
 * still has: a key made by an administrator who no longer is one loses the administration's.
 * What cannot be a key costs nothing, and what is none, one look into an index.
 * @param clock the domain's, which decides on the key's expiry
 * @returns null for a key that is unknown, revoked or expired, or whose owner is blocked
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
    ])
    .where('k.keyHash', '=', hashToken(secret))
    .where('k.revokedAt', 'is', null)
    .where('u.status', '=', 'active')
    .executeTakeFirst();
  if (!row) return null;
  const now = await clock.now(db);
  if (row.expiresAt <= now) return null;
  await noteUse(db, row.id, row.lastUsedAt, now);
  const { email, name, phone, role, status, language } = row;
  return {
    kind: 'signed_in',
    user: { id: row.userId, email, name, phone, role, status, language },
    scopes: scopesOfRole(role).filter((scope) => row.scopes.includes(scope)),
    by: { kind: 'key', key: { id: row.id, name: row.keyName, prefix: row.prefix } },
  };
}

async function noteUse(db: Database, id: number, lastUsedAt: Date | null, now: Date): Promise<void> {
  const step = new Date(now.getTime() - lastUseStepMs);
  if (lastUsedAt !== null && lastUsedAt > step) return;
  // The condition stands in the statement too, so that parallel requests of one program write once.
  await db
    .updateTable('api_keys')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', step)]))
    .execute();
}
