import { DomainError } from '../../../errors.ts';
import { query } from '../../../platform/commands/command.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { violatedConstraint } from '../../../platform/database/constraint-errors.ts';
import type { Platform } from '../../../platform/platform.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { lockEventRow } from '../../competitions/index.ts';
import { type ContractContent, insertContract } from './insert-contract.ts';
import { recordOf, type ContractRecord, findLiveContractId } from './queries.ts';
import { agreementProcess } from './process.ts';

/**
 * Creates the agreement about an organizer's event (AGR-1, AGR-13). Its process makes the PDF.
 * @throws {DomainError} what `insertContract` refuses
 */
export async function createContract(ctx: CommandContext, eventId: number, content: ContractContent): Promise<ContractRecord> {
  const contract = await insertContract(ctx, await lockEventRow(ctx, eventId), content, null);
  const record = await recordOf(ctx, contract.id);
  await startProcess(ctx, agreementProcess, record);
  return record;
}

/**
 * Runs a command and names the existing agreement when the unique index refuses a second one (AGR-1). Reads it in a new transaction,
 * because the refused one is rolled back.
 * @throws {DomainError} contract_exists `{contract_id}`
 */
export async function nameExisting<T>(platform: Platform, eventId: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'contracts_live_unique') throw error;
    const existingId = await query(platform, (db) => findLiveContractId(db, eventId));
    throw new DomainError('contract_exists', existingId === null ? undefined : { contract_id: existingId }, undefined, { cause: error });
  }
}
