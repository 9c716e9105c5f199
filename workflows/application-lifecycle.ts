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

// Drawing a PDF has a queue of its own, so that it never holds up a command.
const { makeCertificate } = proxyActivities<Activities>({ ...bulk, taskQueue: 'certificates', summary: 'draws the certificate' });

/** An application's life: it waits for its owner, the bank, an administrator, a date, and closes when its year has ended. */
export async function applicationLifecycle(input: RecordInput): Promise<void> {
  let isCertificateMade = false;
  let isMaking = false;
  /** One at a time and once a run; the activity itself makes nothing twice. */
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
      // A certificate that cannot be made is tried again when something wakes the process, not as often as somebody asks for it.
      const problem = () => (isMaking ? null : workflow.settlingProblem);
      if (problem() === null) makeCertificateOnce().catch((cause: unknown) => workflow.failSettling(cause));
      // Storage may be away for hours; whoever asks is told to come again before he stops listening, whatever held it up.
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
