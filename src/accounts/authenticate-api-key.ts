import type { EntityManager } from '@mikro-orm/postgresql';
import type { SignedIn } from '../http/access.ts';
import { executePrepared } from '../platform/database/prepared.ts';
import type { UserRole, UserStatus } from './entities.ts';
import { scopesOfRole } from './scopes.ts';
import { hashToken } from './secret-tokens.ts';
import { lastUseStepMs } from './session-limits.ts';

interface KeyRow {
  id: number;
  key_name: string;
  prefix: string;
  scopes: string[];
  last_used_at: string | null;
  user_id: number;
  email: string;
  name: string;
  phone: string | null;
  role: UserRole;
  status: UserStatus;
}

/**
 * Finds whom a Bearer key speaks for (service.md "Authentication" 1, 2). The scopes are those of the key that its owner's role
 * still has: a key made by an administrator who no longer is one loses the administration's.
 * @param now the instant by the domain's clock, which decides on the key's expiry
 * @returns null for a key that is unknown, revoked or expired, or whose owner is blocked
 */
export async function authenticateApiKey(em: EntityManager, secret: string, now: Date): Promise<SignedIn | null> {
  const [row] = await executePrepared<KeyRow>(
    em,
    `select k.id, k.name as key_name, k.prefix, to_json(k.scopes) as scopes, k.last_used_at,
            k.user_id, u.email, u.name, u.phone, u.role, u.status
     from api_keys k join users u on u.id = k.user_id
     where k.key_hash = $1 and k.revoked_at is null and k.expires_at > $2 and u.status = 'active'`,
    [hashToken(secret), now],
  );
  if (!row) return null;
  await noteUse(em, row.id, row.last_used_at, now);
  return {
    kind: 'signed_in',
    user: { id: row.user_id, email: row.email, name: row.name, phone: row.phone, role: row.role, status: row.status },
    scopes: scopesOfRole(row.role).filter((scope) => row.scopes.includes(scope)),
    by: { kind: 'key', key: { id: row.id, name: row.key_name, prefix: row.prefix } },
  };
}

async function noteUse(em: EntityManager, id: number, lastUsedAt: string | null, now: Date): Promise<void> {
  const step = new Date(now.getTime() - lastUseStepMs);
  // The condition stands in the statement too, so that parallel requests of one program write once.
  if (lastUsedAt === null || new Date(lastUsedAt) <= step) {
    await executePrepared(em, 'update api_keys set last_used_at = $1 where id = $2 and (last_used_at is null or last_used_at <= $3)', [
      now,
      id,
      step,
    ]);
  }
}
