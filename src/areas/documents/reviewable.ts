import { sql } from 'kysely';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { profileFlags, soughtByProfile } from '../profiles/index.ts';
import { decisionsOn, type QueueSource, reviewable, wordsOf } from '../reviews/index.ts';
import { documentProcess } from './process.ts';
import { findDocument } from './queries.ts';

/** Documents by status. Uses documents_queue_index for waiting and documents_returned_index for returned ones. */
export const documentQueueSource: QueueSource = {
  kind: 'document',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('documents as d')
      .leftJoin('profiles as p', 'p.id', 'd.profileId')
      // A literal, not a parameter, so that the planner matches the partial index. Never client input.
      .where(sql<boolean>`${sql.ref('d.status')} = ${sql.lit(status)}`)
      .select([
        sql.lit('document').as('kind'),
        'd.id',
        'd.status',
        sql<string>`${sql.ref('d.type')} || ': ' || ${sql.ref('p.name')}`.as('title'),
        'd.updatedAt as waitingSince',
        'p.id as profileId',
        'p.ownerId',
        profileFlags('p').as('flags'),
        soughtByProfile('d.profileId').as('sought'),
      ]),
};

/** Lets administrators decide on documents (DOC-2). */
export const documentReviewable = reviewable({
  kind: 'document',
  body: decisionsOn('document'),
  async find(db, id) {
    const document = await findDocument(db, id);
    return document && { kind: 'document', id, status: document.status, review_note: document.reviewNote };
  },
  review: (platform, { id, decision, note }, options) =>
    sendCommand(platform, documentProcess, id, 'review', { ...options, args: { decision }, words: wordsOf(note) }),
});
