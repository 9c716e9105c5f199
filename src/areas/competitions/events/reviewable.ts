import { sql } from 'kysely';
import { z } from 'zod';
import { inList } from '../../../platform/database/database.ts';
import { formatVersion } from '../../../platform/time/date-time.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { profileFlags, profileSearchText } from '../../profiles/index.ts';
import {
  approve,
  optionalNote,
  type QueueDetails,
  type QueueSource,
  recordId,
  requiredNote,
  reviewable,
  seenVersion,
  sendBack,
  versionArg,
  privateNote,
} from '../../reviews/index.ts';
import { findEventsWithInvalidParticipants } from '../participants/judge-participants.ts';
import { eventProcess } from './process.ts';
import { findEvent } from './queries.ts';
import { stageNames } from './states.ts';
import { reviewedStage } from './wire.ts';

/** Flags details that differ from the contract and so cannot be approved (EVT-6). Repeats `differencesFromAgreement` in SQL. */
const differs = sql<boolean>`g.stage = 'details' and e.agreement_terms is not null and (
  e.title <> e.agreement_terms->>'title'
  or e.location <> e.agreement_terms->>'location'
  or date_trunc('second', e.starts_at) <> date_trunc('second', (e.agreement_terms->>'startsAt')::timestamptz)
  or date_trunc('second', e.ends_at) <> date_trunc('second', (e.agreement_terms->>'endsAt')::timestamptz)
  or e.discipline_id <> (e.agreement_terms->>'disciplineId')::int)`;
const flags = sql<string[]>`case when ${differs}
  then (${profileFlags('p')}::jsonb || '["agreement_differs"]')::json else ${profileFlags('p')} end`;

/** A stage that waits can be approved only after all earlier ones: repeats `isInTurn` in SQL. */
const inTurn = sql<boolean>`not exists (select from event_stages b where b.event_id = g.event_id and b.status <> 'approved'
  and array_position(${sql.lit(`{${stageNames.join(',')}}`)}::text[], b.stage::text)
    < array_position(${sql.lit(`{${stageNames.join(',')}}`)}::text[], g.stage::text))`;

/**
 * Stages that wait for an administrator; details wait once their fee is paid (EVT-4). A stage leaves the queue while its agreement is not in
 * force (EVT-3), because it cannot be decided, and returns to its place. The status is an SQL literal, so that the partial
 * index `event_stages_queue_index` matches.
 */
export const eventStageQueueSource: QueueSource = {
  kind: 'event_stage',
  waiting: 'submitted',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('event_stages as g')
      .innerJoin('events as e', 'e.id', 'g.eventId')
      .innerJoin('profiles as p', 'p.id', 'e.profileId')
      .innerJoin('users as u', 'u.id', 'e.ownerId')
      .leftJoin('applications as f', (join) => join.onRef('f.id', '=', 'e.feeApplicationId').on('g.stage', '=', 'details'))
      .where(sql<boolean>`${sql.ref('g.status')} = ${sql.lit(status)}`)
      .where(status === 'submitted' ? inTurn : sql<boolean>`true`)
      .where((eb) => eb.or([eb('f.id', 'is', null), eb('f.paid', '=', true), eb('f.amountMinor', '=', 0)]))
      .select([
        sql.lit('event_stage').as('kind'),
        'e.id',
        'g.status',
        sql<string>`${sql.ref('g.stage')} || ': ' || ${sql.ref('e.title')}`.as('title'),
        sql<Date>`greatest(${sql.ref('g.submittedAt')}, ${sql.ref('f.paidAt')})`.as('waitingSince'),
        'p.id as profileId',
        'e.ownerId',
        flags.as('flags'),
        sql<string>`concat_ws(' ', ${sql.ref('e.title')}, ${profileSearchText('p', 'u')})`.as('searchText'),
        'g.updatedAt',
        sql<QueueDetails>`json_build_object(
          'event_id', ${sql.ref('e.id')}, 'stage', ${sql.ref('g.stage')}, 'subject', ${sql.ref('e.title')})`.as('details'),
      ]),
  async furtherFlags(db, now, ids, status) {
    const results = await db
      .selectFrom('event_stages')
      .where('eventId', '=', inList(ids))
      .where('stage', '=', 'results')
      .where(sql<boolean>`${sql.ref('status')} = ${status}`)
      .select('eventId')
      .execute();
    const invalid = await findEventsWithInvalidParticipants(
      db,
      now,
      results.map(({ eventId }) => eventId),
    );
    return new Map([...invalid].map((id) => [id, ['participants_not_valid']]));
  },
};

const kind = z.literal('event_stage');
const stage = reviewedStage;

/** Stages of events for administrators' decisions; `id` is the event's. */
export const eventStageReviewable = reviewable({
  kind: 'event_stage',
  body: z.discriminatedUnion('decision', [
    z.strictObject({ kind, id: recordId, stage, decision: approve, note: optionalNote, updated_at: seenVersion }),
    z.strictObject({ kind, id: recordId, stage, decision: sendBack, note: requiredNote, updated_at: seenVersion }),
  ]),
  errors: ['stage_not_open', 'fee_unpaid', 'agreement_differs', 'file_missing'],
  async find(db, id, { stage: name }) {
    const record = await findEvent(db, id);
    if (!record) return null;
    const { status, reviewNote, updatedAt } = record.stages[name];
    const shown = record.event.status === 'cancelled' ? record.event.status : status;
    return { kind: 'event_stage', id, stage: name, status: shown, review_note: reviewNote, updated_at: formatVersion(updatedAt) };
  },
  async review(platform, { id, stage: name, decision, note, ...seen }, caller) {
    const args = { stage: name, decision, ...versionArg(seen) };
    await sendCommand(platform, eventProcess, id, 'review', { caller, args, privateInput: privateNote(note) });
  },
});
