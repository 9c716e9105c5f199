import { type RawBuilder, sql } from 'kysely';
import { commit } from '../../../platform/commands/command.ts';
import { formatVersion } from '../../../platform/time/date-time.ts';
import { profileFlags, profileSearchText } from '../../profiles/index.ts';
import { decisionsOn, type QueueDetails, type QueueSource, reviewable, versionArg } from '../../reviews/index.ts';
import { reviewAdditionalDocument } from './review-additional-document.ts';

/** A document waits from its addition until its decision; a returned one since then (REV-3). */
function waitingSince(status: string): RawBuilder<Date> {
  return status === 'pending' ? sql.ref<Date>('d.createdAt') : sql<Date>`coalesce(${sql.ref('d.decidedAt')}, ${sql.ref('d.createdAt')})`;
}

/** Additional documents by status, without those of cancelled events. Pending ones use `additional_documents_queue_index`. */
export const additionalDocumentQueueSource: QueueSource = {
  kind: 'additional_document',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('additional_documents as d')
      .innerJoin('events as e', 'e.id', 'd.eventId')
      .innerJoin('profiles as p', 'p.id', 'e.profileId')
      .innerJoin('users as u', 'u.id', 'e.ownerId')
      // An SQL literal, so that the planner can use the partial index.
      .where(sql<boolean>`${sql.ref('d.status')} = ${sql.lit(status)}`)
      .where('e.status', '<>', 'cancelled')
      .select([
        sql.lit('additional_document').as('kind'),
        'd.id',
        'd.status',
        sql<string>`${sql.ref('d.kind')} || ': ' || ${sql.ref('d.title')} || ' (' || ${sql.ref('e.title')} || ')'`.as('title'),
        waitingSince(status).as('waitingSince'),
        'p.id as profileId',
        'e.ownerId',
        profileFlags('p').as('flags'),
        sql<string>`concat_ws(' ', ${sql.ref('d.title')}, ${sql.ref('e.title')}, ${profileSearchText('p', 'u')})`.as('searchText'),
        'd.updatedAt',
        sql<QueueDetails>`json_build_object('event_id', ${sql.ref('e.id')}, 'type', ${sql.ref('d.kind')},
          'subject', ${sql.ref('d.title')} || ' (' || ${sql.ref('e.title')} || ')')`.as('details'),
      ]),
};

export const additionalDocumentReviewable = reviewable({
  kind: 'additional_document',
  body: decisionsOn('additional_document'),
  errors: ['file_missing'],
  async find(db, id) {
    const document = await db
      .selectFrom('additional_documents')
      .select(['status', 'reviewNote', 'updatedAt'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!document) return null;
    const { status, reviewNote, updatedAt } = document;
    return { kind: 'additional_document', id, status, review_note: reviewNote, updated_at: formatVersion(updatedAt) };
  },
  async review(platform, { id, decision, note, ...seen }, caller) {
    const given = { decision, note: note ?? null, ...versionArg(seen) };
    await commit(platform, caller, (ctx) => reviewAdditionalDocument(ctx, id, given));
  },
});
