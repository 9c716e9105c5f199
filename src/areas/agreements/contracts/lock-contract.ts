import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type Contract, ContractEntity } from '../entities.ts';
import { type ContractRecord, findContract } from './queries.ts';

/** Locks an agreement for a change; lock its event afterwards. @throws {DomainError} not_found */
export async function lockContract(ctx: CommandContext, id: number): Promise<Locked<Contract>> {
  const contract = await lockForChange(ctx.em, ContractEntity, { id });
  if (!contract) throw new DomainError('not_found');
  return contract;
}

/** Flushes and reads the record of an agreement as this transaction has changed it. */
export async function recordOf(ctx: CommandContext, id: number): Promise<ContractRecord> {
  await ctx.em.flush();
  const record = await findContract(ctx.db, id);
  if (!record) throw new Error(`agreement ${id} vanished under its own transaction`);
  return record;
}
