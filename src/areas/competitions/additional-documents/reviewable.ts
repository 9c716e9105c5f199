import { sql } from 'kysely';
import { commit } from '../../../platform/command.ts';
import { profileFlags, profileSought } from '../../profiles/index.ts';
import { decisionsOn, type QueueSource, reviewable } from '../../reviews/index.ts';
import { reviewAdditionalDocument } from './review-additional-document.ts';

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
        'd.updatedAt as waitingSince',
        'p.id as profileId',
        'e.ownerId',
        profileFlags('p').as('flags'),
        sql<string>`concat_ws(' ', ${sql.ref('d.title')}, ${sql.ref('e.title')}, ${profileSought('p', 'u')})`.as('sought'),
      ]),
};

export const additionalDocumentReviewable = reviewable({
  kind: 'additional_document',
  body: decisionsOn('additional_document'),
  async find(db, id) {
    const document = await db.selectFrom('additional_documents').select(['status', 'reviewNote']).where('id', '=', id).executeTakeFirst();
    return document ? { kind: 'additional_document', id, status: document.status, review_note: document.reviewNote } : null;
  },
  async review(platform, { id, decision, note }, caller) {
    await commit(platform, caller, (ctx) => reviewAdditionalDocument(ctx, id, { decision, note: note ?? null }));
  },
});
