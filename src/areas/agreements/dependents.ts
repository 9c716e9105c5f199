import { literals } from '../../platform/database/literals.ts';
import { processRef } from '../../platform/process-ref.ts';
import type { EventDependents } from '../competitions/index.ts';
import type { FileDependents } from '../files/index.ts';
import { waitingStatuses } from './contracts/states.ts';

/** Waiting statuses as SQL literals: the partial index does not match parameters. */
export const waiting = literals(waitingStatuses);

/** Wakes waiting agreements when their event changes: they send no reminders once it is over (AGR-7). */
export const agreementEventDependents: EventDependents = {
  async listLiving(db, eventId) {
    const rows = await db.selectFrom('contracts').select('id').where('eventId', '=', eventId).where('status', 'in', waiting).execute();
    return rows.map(({ id }) => processRef('agreement', id));
  },
};

/** An agreement keeps its latest scan from deletion in every status; an earlier scan may be deleted. */
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
