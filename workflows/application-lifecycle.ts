import { proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { answering, bulk, standard } from './activity-profiles.ts';
import {
  cancelApplicationUpdate,
  certificateUpdate,
  payApplicationUpdate,
  reviewApplicationUpdate,
  submitApplicationUpdate,
} from './application-lifecycle.contract.ts';
import type { ApplicationLifecycleInput } from './application-lifecycle.contract.ts';
import { Process, unlessBeginningNewRun } from './process.ts';

const { submitApplication, payApplication, reviewApplication, cancelApplication } = proxyActivities<Activities>(answering);
const { reconsiderApplication } = proxyActivities<Activities>(standard);
// Drawing a PDF is work of the documents' workers, so that it never holds up an answer.
const { makeCertificate } = proxyActivities<Activities>({ ...bulk, taskQueue: 'documents' });

/** An application's life: it waits for its owner, the bank, an administrator, a date, and closes when its year has ended. */
export async function applicationLifecycle(input: ApplicationLifecycleInput): Promise<void> {
  const { applicationId } = input;
  let isCertificateMade = false;
  const makeCertificateOnce = async () => {
    if (!isCertificateMade) await makeCertificate(applicationId);
    isCertificateMade = true;
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
  setHandler(certificateUpdate, () => process.inTurn(makeCertificateOnce), unlessBeginningNewRun);
  await process.live(input);
}
