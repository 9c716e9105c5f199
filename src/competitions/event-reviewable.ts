import { z } from 'zod';
import { reviewStageUpdate } from '../../workflows/event-stages.contract.ts';
import { sendCommand } from '../platform/workflows/send-command.ts';
import { approve, optionalNote, recordId, requiredNote, reviewable, sendBack, wordsOf } from '../reviews/index.ts';
import { eventProcess } from './process.ts';
import { findEvent } from './queries.ts';
import { reviewedStage } from './schemas.ts';

const kind = z.literal('event_stage');
const stage = reviewedStage;

/** Stages of events, as administrators decide on them; `id` is the event's (decisions.md §6 "Review"). */
export const eventStageReviewable = reviewable({
  kind: 'event_stage',
  body: z.discriminatedUnion('decision', [
    z.strictObject({ kind, id: recordId, stage, decision: approve, note: optionalNote }),
    z.strictObject({ kind, id: recordId, stage, decision: sendBack, note: requiredNote }),
  ]),
  errors: ['stage_not_open', 'fee_unpaid', 'agreement_differs'],
  async find(db, id, { stage: name }) {
    const record = await findEvent(db, id);
    if (!record) return null;
    const { status, reviewNote } = record.stages[name];
    const shown = record.event.status === 'cancelled' ? record.event.status : status;
    return { kind: 'event_stage', id, stage: name, status: shown, review_note: reviewNote };
  },
  async review(platform, { id, stage: name, decision, note }, options) {
    const args = { stage: name, decision };
    await sendCommand(platform, eventProcess, id, reviewStageUpdate, { ...options, args, words: wordsOf(note) });
  },
});
