import { agreementContract } from '../../../../workflows/agreement.contract.ts';
import { reasonWords } from '../../../http/schemas.ts';
import { literalText } from '../../../platform/database/literals.ts';
import { defineProcess, withWords } from '../../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../../platform/workflows/due-at.ts';
import { reconsiderContract } from '../reconsider-contract.ts';
import { cancelContract } from './cancel-contract.ts';
import { describeAgreement } from './describe-agreement.ts';
import { findContracts } from './queries.ts';
import { replaceContract } from './replace-contract.ts';
import { reviewContract } from './review-contract.ts';
import { scanContract } from './scan-contract.ts';
import { waitingStatuses } from './states.ts';
import { replacementWords } from './wire.ts';

const dueAt = dueAtOf('contracts');

/** The process of an agreement: waits for the signed scan and the decision, and sends reminders (AGR-12). */
export const agreementProcess = defineProcess(agreementContract, {
  subject: 'contract',
  summary: (id) => `Agreement ${id}: its PDF, the signed scan, the federation's decision`,
  read: findContracts,
  describe: describeAgreement,
  since: ({ contract: { status, decidedAt, scanUploadedAt, createdAt } }) =>
    (status === 'pending' ? scanUploadedAt : decidedAt) ?? createdAt,
  reconsider: reconsiderContract,
  dueAt: { of: ({ contract }) => contract.dueAt, save: dueAt.save },
  due: dueAt.list,
  living: livingOf('contracts', `status in (${literalText(waitingStatuses)}) and closed_at is null`),
  commands: {
    scan: scanContract,
    review: withWords(reviewContract, reasonWords),
    replace: withWords(replaceContract, replacementWords),
    cancel: withWords(cancelContract, reasonWords),
  },
});
