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

// Drawing a PDF has a queue of its own, so that it never holds up a command.
const { makeAgreement } = proxyActivities<Activities>({ ...bulk, taskQueue: 'certificates', summary: 'draws the agreement' });

/** An agreement's life: its PDF is made, then it waits for the signed scan and for the federation, and reminds them (decisions.md §7). */
export async function agreement(input: RecordInput): Promise<void> {
  /** How often the PDF was found or put in its place in this run. */
  let timesMade = 0;
  let isMaking = false;
  /** One at a time; the activity itself makes nothing twice, and finds what is there with one look. */
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
      // One that cannot be made is tried again when something wakes the process, not as often as somebody asks for it.
      const problem = () => (isMaking ? null : workflow.settlingProblem);
      if (problem() === null) make().catch((cause: unknown) => workflow.failSettling(cause));
      // Storage may be away for hours; whoever asks is told to come again before he stops listening, whatever held it up.
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
