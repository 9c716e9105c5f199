import { defineUpdate } from '@temporalio/workflow';
import type { ProcessCommand } from './process.contract.ts';

/** The transfer of a profile to another account; workflow id `ownership-transfer/{profile id}`. */

export interface TransferProfileArgs {
  /** The owner that the administrator saw. */
  currentUserId: number;
  targetUserId: number;
}

export const transferProfileUpdate = defineUpdate<void, [ProcessCommand<TransferProfileArgs>]>('transfer');
