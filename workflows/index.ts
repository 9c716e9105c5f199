import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { bulk } from './activity-profiles.ts';
import { accountErasureContract } from './contracts/account-erasure.contract.ts';
import { accountExportContract } from './contracts/account-export.contract.ts';
import { agreementContract } from './contracts/agreement.contract.ts';
import { applicationContract } from './contracts/application.contract.ts';
import { documentContract } from './contracts/document.contract.ts';
import { eventContract } from './contracts/event.contract.ts';
import { importContract } from './contracts/import.contract.ts';
import { makingFile, workWhenDue } from './long-work.ts';
import { ownershipTransferContract } from './contracts/ownership-transfer.contract.ts';
import { profileContract } from './contracts/profile.contract.ts';
import { recordWorkflow } from './record-workflow.ts';
import { registrationContract } from './contracts/registration.contract.ts';
import { statusListContract } from './contracts/status-list.contract.ts';
import { webhookContract } from './contracts/webhook.contract.ts';

// The SDK captures a stack for each promise. A replay takes 14 ms without frames, 19 with four, 21 with ten; four name the line that waits.
Error.stackTraceLimit = 4;

/** All workflows, by their types. Those with long work of another kind have a file. */
export { sweep } from './sweep.ts';
export { invoiceReconciliation } from './invoice-reconciliation.ts';
export { nationalExport } from './national-export.ts';
export { oneTimeSecret } from './one-time-secret.ts';

export const documentReview = recordWorkflow(documentContract);
export const eventRegistration = recordWorkflow(registrationContract);
export const eventStages = recordWorkflow(eventContract);
export const importRows = recordWorkflow(importContract);
export const ownershipTransfer = recordWorkflow(ownershipTransferContract);
export const profileReview = recordWorkflow(profileContract);

// PDFs have a separate queue, so that they do not delay commands.
const onPdfQueue = { ...bulk, taskQueue: 'certificates' };
const { makeCertificate } = proxyActivities<Activities>({ ...onPdfQueue, summary: 'generates the certificate' });
const { makeAgreement } = proxyActivities<Activities>({ ...onPdfQueue, summary: 'generates the agreement' });

const { makeStatusList } = proxyActivities<Activities>({ ...onPdfQueue, summary: 'makes the edition' });
// A queue of its own, because receivers may be slow.
const { sendChanges } = proxyActivities<Activities>({ ...bulk, taskQueue: 'webhooks', summary: 'sends changes' });

// Large files have a separate queue too, and more time.
const { buildAccountExport } = proxyActivities<Activities>({
  ...bulk,
  startToCloseTimeout: '30m',
  taskQueue: 'exports',
  summary: 'generates the archive',
});

const { eraseAccount } = proxyActivities<Activities>({
  ...bulk,
  startToCloseTimeout: '30m',
  taskQueue: 'exports',
  summary: 'erases the account',
});

export const accountErasure = recordWorkflow(accountErasureContract, workWhenDue(eraseAccount, 'a caller waits for the erasure'));
export const accountExport = recordWorkflow(accountExportContract, workWhenDue(buildAccountExport, 'a caller waits for the archive'));
export const statusList = recordWorkflow(statusListContract, workWhenDue(makeStatusList, 'a caller waits for the edition'));
export const webhook = recordWorkflow(webhookContract, workWhenDue(sendChanges, 'a caller waits for the deliveries'));
export const applicationLifecycle = recordWorkflow(
  applicationContract,
  makingFile(makeCertificate, { file: 'certificate', isMissing: ({ stage }) => stage === 'approved', isRestored: false }),
);
export const agreement = recordWorkflow(
  agreementContract,
  makingFile(makeAgreement, { file: 'agreement', isMissing: ({ stage }) => stage === 'generated', isRestored: true }),
);
