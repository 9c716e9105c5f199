import { type Database, inList } from '../../../platform/database/database.ts';
import type { ReviewDecision } from '../../reviews/index.ts';

/** One decision on a record, as administrators read it. */
export type PastDecision = Pick<ReviewDecision, 'subjectKind' | 'decision' | 'note' | 'fromStatus' | 'toStatus' | 'actorId' | 'at'>;

/**
 * The decisions on a record, the oldest first. Read by `review_decisions_subject_index`.
 * @param kinds what is decided on apart from each other, such as the data and the photo of a profile
 */
export function listDecisions(db: Database, kinds: readonly string[], id: number): Promise<PastDecision[]> {
  return db
    .selectFrom('review_decisions')
    .select(['subjectKind', 'decision', 'note', 'fromStatus', 'toStatus', 'actorId', 'at'])
    .where('subjectKind', '=', inList(kinds))
    .where('subjectId', '=', id)
    .orderBy('id')
    .execute();
}
