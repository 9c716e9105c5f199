import { agreementContract } from '../../../../workflows/agreement.contract.ts';
import { reasonWords } from '../../../http/schemas.ts';
import type { Database } from '../../../platform/database/database.ts';
import { literals } from '../../../platform/database/literals.ts';
import { defineProcess, withWords } from '../../../platform/workflows/define-process.ts';
import { dueAtOf } from '../../../platform/workflows/due-at.ts';
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
  living: listLiving,
  commands: {
    scan: scanContract,
    review: withWords(reviewContract, reasonWords),
    replace: withWords(replaceContract, replacementWords),
    cancel: withWords(cancelContract, reasonWords),
  },
});

/** Statuses as SQL literals: the partial index does not match parameters. */
const waiting = literals(waitingStatuses);

/** Lists ids after `afterId` of agreements whose process waits, ascending. Uses contracts_waiting_index. */
async function listLiving(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('contracts')
    .select('id')
    .where('id', '>', afterId)
    .where('status', 'in', waiting)
    .where('closedAt', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
