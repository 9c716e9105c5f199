import { literals } from '../../platform/database/literals.ts';
import { processRef } from '../../platform/process-ref.ts';
import type { EventDependents } from '../competitions/index.ts';
import type { FileDependents } from '../files/index.ts';
import { waitingStatuses } from './contracts/states.ts';

/** The waiting statuses as a statement names them: written out, so that the partial index serves it. */
export const waiting = literals(waitingStatuses);

/** An agreement reminds nobody once its event is over. */
export const agreementEventDependents: EventDependents = {
  async listLiving(db, eventId) {
    const rows = await db.selectFrom('contracts').select('id').where('eventId', '=', eventId).where('status', 'in', waiting).execute();
    return rows.map(({ id }) => processRef('agreement', id));
  },
};

/** An agreement keeps the scan that was sent last, whatever became of it: it stays in the archive. An earlier one may be deleted. */
export const agreementFileDependents: FileDependents = {
  async listUses({ db }, fileId) {
    const contracts = await db
      .selectFrom('files as f')
      .innerJoin('contracts as c', (join) => join.onRef('c.ownerId', '=', 'f.ownerId').onRef('c.scanStorageKey', '=', 'f.storageKey'))
      .where('f.id', '=', fileId)
      .select('c.id')
      .orderBy('c.id')
      .execute();
    return contracts.map(({ id }) => ({ kind: 'contract', id }));
  },
};
