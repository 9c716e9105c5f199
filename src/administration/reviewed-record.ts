import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { executePrepared } from '../platform/database/prepared.ts';
import type { ReviewKind, reviewedShape } from './review-schemas.ts';

const statements: Record<ReviewKind, string> = {
  profile: 'select id, status, review_note from profiles where id = $1',
  photo: 'select id, photo_status as status, photo_review_note as review_note from profiles where id = $1 and photo_id is not null',
  document: 'select id, status, review_note from documents where id = $1',
  application: `select a.id, a.status, a.review_note, a.revision, c.number, c.valid_from, c.valid_until
                  from applications a left join certificates c on c.application_id = a.id where a.id = $1`,
};

/** What a decision was made about, as it stands now; null when there is no such record. */
export async function findReviewedRecord(em: EntityManager, kind: ReviewKind, id: number): Promise<z.input<typeof reviewedShape> | null> {
  const [row] = await executePrepared<Omit<z.input<typeof reviewedShape>, 'kind'>>(em, statements[kind], [id]);
  return row ? { kind, ...row } : null;
}
