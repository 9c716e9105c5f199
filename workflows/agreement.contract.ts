import { defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An agreement from its generated PDF to the federation's decision; workflow id `agreement/{id}`. */

/** The signed scan, an uploaded file of the organizer. */
export interface ScanContractArgs {
  sha256: string;
}

export interface ReviewContractArgs {
  decision: 'confirm' | 'reject';
}

export interface ReplaceContractArgs {
  /** Null: the default one. */
  templateId: number | null;
}

export const scanContractUpdate = defineUpdate<void, [ProcessCommand<ScanContractArgs>]>('scan');
export const reviewContractUpdate = defineUpdate<void, [ProcessCommand<ReviewContractArgs>]>('review');
export const replaceContractUpdate = defineUpdate<void, [ProcessCommand<ReplaceContractArgs>]>('replace');
export const cancelContractUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('cancel');
/** Waits until the generated PDF is in storage; generates it if missing and restores it if lost. */
export const agreementPdfUpdate = defineUpdate<void, [{ requestId: string }]>('pdf');
