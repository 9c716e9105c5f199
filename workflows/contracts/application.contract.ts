import { command, defineContract } from './process.contract.ts';

export interface ReviewApplicationArgs {
  decision: 'approve' | 'changes' | 'cancel';
  /** The revision that the administrator saw; null: the current one, for decisions on many at once. */
  revision: number | null;
  validFrom: string | null;
  validUntil: string | null;
}

/** An application from its draft to the end of its year; workflow id `application/{id}`. */
export const applicationContract = defineContract({
  kind: 'application',
  workflow: 'applicationLifecycle',
  queue: 'registry',
  commands: {
    submit: command(),
    pay: command(),
    review: command<ReviewApplicationArgs>(),
    cancel: command(),
  },
  longWork: { activity: 'makeCertificate', question: 'certificate' },
});
