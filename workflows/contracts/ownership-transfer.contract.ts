import { command, defineContract } from './process.contract.ts';

export interface TransferProfileArgs {
  /** The owner that the administrator saw. */
  currentUserId: number;
  targetUserId: number;
}

/**
 * The transfer of a profile to another account; workflow id `ownership-transfer/{profile id}`. Transfers of one profile run one at a time.
 */
export const ownershipTransferContract = defineContract({
  kind: 'ownership-transfer',
  workflow: 'ownershipTransfer',
  queue: 'registry',
  commands: { transfer: command<TransferProfileArgs>() },
});
