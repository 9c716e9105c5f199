import { ApplicationFailure } from '@temporalio/common';
import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import {
  agreementPdfUpdate,
  cancelContractUpdate,
  replaceContractUpdate,
  reviewContractUpdate,
  scanContractUpdate,
} from './agreement.contract.ts';
import { EntityWorkflow, unlessBeginningNewRun } from './entity-workflow.ts';
import type { RecordInput } from './process.contract.ts';

// PDFs have a queue of their own, so that they never delay a command.
const { makeAgreement } = proxyActivities<Activities>({ ...bulk, taskQueue: 'certificates', summary: 'draws the agreement' });

/** Runs an agreement's process: generates its PDF, waits for the signed scan and the federation, and reminds both. */
export async function agreement(input: RecordInput): Promise<void> {
  /** How often this run generated or found the PDF. */
  let timesMade = 0;
  let isMaking = false;
  /** One at a time; the activity is idempotent and finds an existing file with one read. */
  const make = async () => {
    if (isMaking) return;
    isMaking = true;
    try {
      await makeAgreement(input.id);
      timesMade += 1;
    } finally {
      isMaking = false;
    }
  };
  const workflow = new EntityWorkflow('agreement', input, {
    settle: (view) => {
      const isMissing = view.stage === 'generated' && timesMade === 0;
      return isMissing || workflow.settlingProblem !== null ? make : null;
    },
  });
  workflow.onCommand(scanContractUpdate);
  workflow.onCommand(reviewContractUpdate);
  workflow.onCommand(replaceContractUpdate);
  workflow.onCommand(cancelContractUpdate);
  setHandler(
    agreementPdfUpdate,
    async ({ requestId }) => {
      const before = timesMade;
      // A PDF that cannot be generated is retried when a message wakes the process, not at each request for it.
      const problem = () => (isMaking ? null : workflow.settlingProblem);
      if (problem() === null) make().catch((cause: unknown) => workflow.failSettling(cause));
      // Storage may be away for hours; a caller gets "try again" before their timeout, whatever the cause.
      await condition(() => timesMade > before || problem() !== null, '8s', { summary: 'somebody waits for the agreement' });
      workflow.showRequest(requestId);
      if (timesMade > before) return;
      const { code, words } = problem() ?? { code: 'service_unavailable', words: 'the agreement is still being made' };
      throw ApplicationFailure.create({ message: words, type: code, nonRetryable: true });
    },
    unlessBeginningNewRun,
  );
  await workflow.live();
}
