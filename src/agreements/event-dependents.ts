import type { EventDependents } from '../competitions/index.ts';
import { literals } from '../platform/database/literals.ts';
import { processRef } from '../platform/process-ref.ts';
import { waitingStatuses } from './states.ts';

/** The waiting statuses as a statement names them: written out, so that the partial index serves it. */
export const waiting = literals(waitingStatuses);

/** An agreement reminds nobody once its event is over. */
export const agreementEventDependents: EventDependents = {
  async listLiving(db, eventId) {
    const rows = await db.selectFrom('contracts').select('id').where('eventId', '=', eventId).where('status', 'in', waiting).execute();
    return rows.map(({ id }) => processRef('agreement', id));
  },
};
