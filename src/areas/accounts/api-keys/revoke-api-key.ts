import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { ApiKeyEntity } from '../entities.ts';

/** Revokes a key of the account at once; the row stays. @throws {DomainError} not_found, also for another account's or a revoked key */
export async function revokeApiKey(ctx: CommandContext, input: { ownerId: number; keyId: number }): Promise<void> {
  const key = await lockForChange(ctx.em, ApiKeyEntity, { id: input.keyId, userId: input.ownerId, revokedAt: null });
  if (!key) throw new DomainError('not_found');
  key.revokedAt = ctx.now;
  await audit(ctx, 'api_key.revoked', { kind: 'api_key', id: key.id });
}
