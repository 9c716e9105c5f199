import { EntityWorkflow } from './entity-workflow.ts';
import { transferProfileUpdate } from './ownership-transfer.contract.ts';
import type { RecordInput } from './process.contract.ts';

/**
 * Transfers a profile in one transaction, then wakes the processes of all moved records. Transfers of one profile run one after the other.
 */
export async function ownershipTransfer(input: RecordInput): Promise<void> {
  const workflow = new EntityWorkflow('ownership-transfer', input);
  workflow.onCommand(transferProfileUpdate);
  await workflow.live();
}
