import { EntityWorkflow } from './entity-workflow.ts';
import { transferProfileUpdate } from './ownership-transfer.contract.ts';
import type { RecordInput } from './process.contract.ts';

/** A profile changes hands: one transaction, after which the processes of all that moved are woken. Transfers of one profile take turns. */
export async function ownershipTransfer(input: RecordInput): Promise<void> {
  const workflow = new EntityWorkflow('ownership-transfer', input);
  workflow.onCommand(transferProfileUpdate);
  await workflow.live();
}
