import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiKeyEntity, UserEntity } from './entities.ts';
import type { ApiKey, User } from './entities.ts';

/** An account by its id, null when there is none. */
export async function findUser(em: EntityManager, id: number): Promise<User | null> {
  return em.findOne(UserEntity, { id });
}

/** An account by its e-mail in any case, null when there is none. */
export async function findUserByEmail(em: EntityManager, email: string): Promise<User | null> {
  return em.findOne(UserEntity, { email: email.toLowerCase() });
}

/** The keys of an account that were not revoked, newest first; reads `api_keys_user_index`. */
export async function listApiKeys(
  em: EntityManager,
  userId: number,
  { page, limit }: { page: number; limit: number },
): Promise<[ApiKey[], number]> {
  return em.findAndCount(ApiKeyEntity, { userId, revokedAt: null }, { orderBy: { id: 'desc' }, limit, offset: (page - 1) * limit });
}
