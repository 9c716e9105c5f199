import { ApplicationFailure } from '@temporalio/common';
import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import {
  cancelApplicationUpdate,
  certificateUpdate,
  payApplicationUpdate,
  reviewApplicationUpdate,
  submitApplicationUpdate,
} from './application-lifecycle.contract.ts';
import { EntityWorkflow, unlessBeginningNewRun } from './entity-workflow.ts';
import type { RecordInput } from './process.contract.ts';

// PDFs have a queue of their own, so that they never delay a command.
const { makeCertificate } = proxyActivities<Activities>({ ...bulk, taskQueue: 'certificates', summary: 'draws the certificate' });

/** Runs an application's process: waits for its owner, the bank, an administrator or a date, and closes when its year has ended. */
export async function applicationLifecycle(input: RecordInput): Promise<void> {
  let isCertificateMade = false;
  let isMaking = false;
  /** One at a time and once in a run; the activity is idempotent. */
  const makeCertificateOnce = async () => {
    if (isCertificateMade || isMaking) return;
    isMaking = true;
    try {
      await makeCertificate(input.id);
      isCertificateMade = true;
    } finally {
      isMaking = false;
    }
  };
  const workflow = new EntityWorkflow('application', input, {
    settle: (view) => (view.stage === 'approved' && !isCertificateMade ? makeCertificateOnce : null),
  });
  workflow.onCommand(submitApplicationUpdate);
  workflow.onCommand(payApplicationUpdate);
  workflow.onCommand(reviewApplicationUpdate);
  workflow.onCommand(cancelApplicationUpdate);
  setHandler(
    certificateUpdate,
    async ({ requestId }) => {
      // A certificate that cannot be generated is retried when a message wakes the process, not at each request for it.
      const problem = () => (isMaking ? null : workflow.settlingProblem);
      if (problem() === null) makeCertificateOnce().catch((cause: unknown) => workflow.failSettling(cause));
      // Storage may be away for hours; a caller gets "try again" before their timeout, whatever the cause.
      await condition(() => isCertificateMade || problem() !== null, '8s', { summary: 'somebody waits for the certificate' });
      workflow.showRequest(requestId);
      if (isCertificateMade) return;
      const { code, words } = problem() ?? { code: 'service_unavailable', words: 'the certificate is still being made' };
      throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
    },
    unlessBeginningNewRun,
  );
  await workflow.live();
}
