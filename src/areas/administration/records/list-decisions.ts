import { type Database, inList } from '../../../platform/database/database.ts';
import type { ReviewDecision } from '../../reviews/index.ts';

/** A decision on a record, for administrators. */
export type PastDecision = Pick<ReviewDecision, 'subjectKind' | 'decision' | 'note' | 'fromStatus' | 'toStatus' | 'actorId' | 'at'>;

/**
 * Lists the decisions on a record, oldest first (REV-2). Reads `review_decisions_subject_index`.
 * @param kinds the parts with their own decisions, such as the data and the photo of a profile
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
