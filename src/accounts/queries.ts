import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from './entities.ts';
import type { ApiKey } from './entities.ts';

/** The keys of an account that were not revoked, newest first; reads `api_keys_user_index`. */
export async function listApiKeys(
  em: EntityManager,
  userId: number,
  { page, limit }: { page: number; limit: number },
): Promise<[ApiKey[], number]> {
  return em.findAndCount(ApiKeyEntity, { userId, revokedAt: null }, { orderBy: { id: 'desc' }, limit, offset: (page - 1) * limit });
}
