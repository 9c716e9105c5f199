import { command, defineContract } from './process.contract.ts';

/** The signed scan, an uploaded file of the organizer. */
export interface ScanContractArgs {
  sha256: string;
}

export interface ReviewContractArgs {
  decision: 'confirm' | 'reject';
  /** `updated_at` of the agreement as the administrator read it, an ISO 8601 instant; absent: any version. */
  updatedAt?: string;
}

export interface ReplaceContractArgs {
  /** Null: the default one. */
  templateId: number | null;
}

/** An agreement from its generated PDF to the federation's decision; workflow id `agreement/{id}`. */
export const agreementContract = defineContract({
  kind: 'agreement',
  workflow: 'agreement',
  queue: 'competitions',
  commands: {
    scan: command<ScanContractArgs>(),
    review: command<ReviewContractArgs>(),
    replace: command<ReplaceContractArgs>(),
    cancel: command(),
  },
  longWork: { activity: 'makeAgreement', question: 'pdf' },
});
