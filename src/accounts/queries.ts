import type { Database } from '../platform/database/database.ts';
import type { ApiKey } from './entities.ts';

/** The keys of an account that were not revoked, newest first; reads `api_keys_user_index`. */
export async function listApiKeys(
  db: Database,
  userId: number,
  { page, limit }: { page: number; limit: number },
): Promise<{ items: Readonly<ApiKey>[]; total: number }> {
  const own = db.selectFrom('api_keys').where('userId', '=', userId).where('revokedAt', 'is', null);
  const [items, { total }] = await Promise.all([
    own
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items, total };
}
