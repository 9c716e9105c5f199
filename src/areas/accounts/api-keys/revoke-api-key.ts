import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { ApiKeyEntity } from '../entities.ts';
import { endAccess } from '../extension-points.ts';

/** Revokes a key of the account and the webhooks that it made, at once; the row stays. @throws {DomainError} not_found, also for another account's or a revoked key */
export async function revokeApiKey(ctx: CommandContext, input: { ownerId: number; keyId: number }): Promise<void> {
  const key = await lockForChange(ctx.em, ApiKeyEntity, { id: input.keyId, userId: input.ownerId, revokedAt: null });
  if (!key) throw new DomainError('not_found');
  key.revokedAt = ctx.now;
  await endAccess(ctx, { cause: 'key_ended', userId: input.ownerId, keyId: key.id });
  await audit(ctx, 'api_key.revoked', { kind: 'api_key', id: key.id });
}
