// Baseline of 2026-11-21, frozen: see index.ts.
import { ApplicationFailure } from '@temporalio/common';
import { condition, patched, proxyActivities, setHandler } from '@temporalio/workflow';
import type { BaselineActivities } from './activities.ts';
import { answering, bulk, standard } from './activity-profiles.ts';
import {
  type ApplicationLifecycleInput,
  cancelApplicationUpdate,
  certificateUpdate,
  payApplicationUpdate,
  reviewApplicationUpdate,
  submitApplicationUpdate,
} from './application-lifecycle.contract.ts';
import { patches } from './patches.ts';
import { Process, unlessBeginningNewRun } from './process.ts';

const { submitApplication, payApplication, reviewApplication, cancelApplication } = proxyActivities<BaselineActivities>(answering);
const { reconsiderApplication } = proxyActivities<BaselineActivities>(standard);
// Drawing a PDF is work of the documents' workers, so that it never holds up an answer.
const { makeCertificate } = proxyActivities<BaselineActivities>({ ...bulk, taskQueue: 'documents' });

/** An application's life: it waits for its owner, the bank, an administrator, a date, and closes when its year has ended. */
export async function applicationLifecycle(input: ApplicationLifecycleInput): Promise<void> {
  const { applicationId } = input;
  let isCertificateMade = false;
  let isMaking = false;
  /** One at a time and once a run; the activity itself makes nothing twice. */
  const makeCertificateOnce = async () => {
    if (isCertificateMade || isMaking) return;
    isMaking = true;
    try {
      await makeCertificate(applicationId);
      isCertificateMade = true;
    } finally {
      isMaking = false;
    }
  };
  const process = new Process(
    () => reconsiderApplication(applicationId),
    async (view) => {
      if (view.stage === 'approved') await makeCertificateOnce();
    },
  );
  process.onCommand(submitApplicationUpdate, (command) => submitApplication(applicationId, command));
  process.onCommand(payApplicationUpdate, (command) => payApplication(applicationId, command));
  process.onCommand(reviewApplicationUpdate, (command) => reviewApplication(applicationId, command));
  process.onCommand(cancelApplicationUpdate, (command) => cancelApplication(applicationId, command));
  setHandler(
    certificateUpdate,
    async () => {
      if (!patched(patches.certificateAnswerGivesUp)) {
        await process.inTurn(async () => (isMaking ? condition(() => isCertificateMade) : makeCertificateOnce()));
        return;
      }
      // Storage may be away for hours; whoever asks is told to come again before he stops listening, whatever held it up.
      makeCertificateOnce().catch(() => undefined);
      const isMade = await condition(() => isCertificateMade, '8s');
      if (!isMade)
        throw ApplicationFailure.create({
          message: 'the certificate is still being made',
          type: 'service_unavailable',
          nonRetryable: true,
        });
    },
    unlessBeginningNewRun,
  );
  await process.live(input);
}
