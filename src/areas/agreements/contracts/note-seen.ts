import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { requireAdministrator } from '../../reviews/index.ts';
import { type ContractRecord, lockContract, recordOf } from './queries.ts';
import { isLive } from './states.ts';

/**
 * Notes that an administrator has seen that the organizer ended an agreement, which removes it from the queue (AGR-17). Idempotent: an
 * agreement that was seen, or that an administrator ended, does not change.
 * @throws {DomainError} forbidden; not_found; invalid_state for an agreement that was not ended
 */
export async function noteSeen(ctx: CommandContext, id: number): Promise<ContractRecord> {
  requireAdministrator(ctx);
  const contract = await lockContract(ctx, id);
  if (isLive(contract.status))
    throw new DomainError('invalid_state', { status: contract.status, allowed: [] }, 'The agreement was not ended.');
  if (contract.unseenSince !== null) {
    contract.unseenSince = null;
    await audit(ctx, 'contract.seen', { kind: 'contract', id });
  }
  return recordOf(ctx, id);
}
