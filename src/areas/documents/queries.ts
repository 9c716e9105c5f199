import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { DomainError } from '../../errors.ts';
import { mostTimelineSteps } from '../../http/schemas.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import type { Decision } from '../reviews/index.ts';
import { type Document, DocumentEntity } from './entities.ts';

/** One decision of an administrator; `at` is an ISO 8601 instant. */
export interface PastDecision {
  decision: Decision;
  note: string | null;
  at: string;
}

export interface DocumentView {
  document: Readonly<Document>;
  ownerId: number;
  /** Oldest first. */
  history: PastDecision[];
}

/** Finds documents by ids, oldest first; missing ones are left out. */
export function findDocuments(db: Database, ids: readonly number[]): Promise<Readonly<Document>[]> {
  return db.selectFrom('documents').selectAll().where('id', '=', inList(ids)).orderBy('id').execute();
}

export async function findDocument(db: Database, id: number): Promise<Readonly<Document> | null> {
  const [document] = await findDocuments(db, [id]);
  return document ?? null;
}

/** Lists the documents of a profile, oldest first. */
export function listDocumentsOfProfile(db: Database, profileId: number): Promise<Readonly<Document>[]> {
  return db.selectFrom('documents').selectAll().where('profileId', '=', profileId).orderBy('id').execute();
}

/** Reads a document with its owner and its decisions in one statement. */
export async function findDocumentView(db: Database, id: number): Promise<DocumentView | null> {
  const row = await db
    .selectFrom('documents as d')
    .innerJoin('profiles as p', 'p.id', 'd.profileId')
    .where('d.id', '=', id)
    .selectAll('d')
    .select((eb) => [
      'p.ownerId',
      jsonArrayFrom(
        eb
          .selectFrom('review_decisions as r')
          .where('r.subjectKind', '=', 'document')
          .whereRef('r.subjectId', '=', 'd.id')
          .select(['r.decision', 'r.note', 'r.at'])
          .orderBy('r.id'),
      ).as('history'),
    ])
    .executeTakeFirst();
  if (!row) return null;
  const { ownerId, history, ...document } = row;
  return { document, ownerId, history };
}

/** Finds the account that owns a document. @throws {DomainError} not_found */
async function findDocumentOwner(db: Database, id: number): Promise<number> {
  const row = await db
    .selectFrom('documents as d')
    .innerJoin('profiles as p', 'p.id', 'd.profileId')
    .where('d.id', '=', id)
    .select('p.ownerId')
    .executeTakeFirst();
  if (!row) throw new DomainError('not_found');
  return row.ownerId;
}

/** One recorded event of a document. `what`: the decision, or the audit action. */
export interface DocumentFact {
  what: Decision | 'created' | 'updated' | 'corrected' | 'file_deleted' | 'reminded' | 'expired';
  note: string | null;
  at: Date;
}

/** Lists the latest events of a document, oldest first: decisions with their notes, and other audit events (ADM-5). */
export async function listDocumentFacts(db: Database, id: number): Promise<DocumentFact[]> {
  const made = db
    .selectFrom('documents')
    .where('id', '=', id)
    .select([
      sql<DocumentFact['what']>`'created'`.as('what'),
      sql<string | null>`null`.as('note'),
      'createdAt as at',
      sql.lit(0).as('rank'),
      sql.lit(0).as('factId'),
    ]);
  const decided = db
    .selectFrom('review_decisions')
    .where('subjectKind', '=', 'document')
    .where('subjectId', '=', id)
    .select(['decision as what', 'note', 'at', sql.lit(1).as('rank'), 'id as factId']);
  const recorded = db
    .selectFrom('audit_events')
    .where('subjectKind', '=', 'document')
    .where('subjectId', '=', String(id))
    .where('action', 'in', ['document.updated', 'document.corrected', 'document.file_deleted', 'document.reminded', 'document.expired'])
    .select([
      sql<DocumentFact['what']>`split_part(action, '.', 2)`.as('what'),
      sql<string | null>`data ->> 'reason'`.as('note'),
      'at',
      // At the same instant, an expiry comes before the decision that found it, but after the correction that caused it.
      sql<number>`case when action in ('document.corrected', 'document.expired') then 0 else 1 end`.as('rank'),
      'id as factId',
    ]);
  const latest = await db
    .selectFrom(made.unionAll(decided).unionAll(recorded).as('f'))
    .select(['f.what', 'f.note', 'f.at'])
    .orderBy('f.at', 'desc')
    .orderBy('f.rank', 'desc')
    .orderBy('f.factId', 'desc')
    .limit(mostTimelineSteps)
    .execute();
  return latest.toReversed();
}

/** Locks a document until the transaction ends. @throws {DomainError} not_found */
export async function lockDocument(ctx: CommandContext, documentId: number): Promise<{ document: Locked<Document>; ownerId: number }> {
  const document = await lockForChange(ctx.em, DocumentEntity, { id: documentId });
  if (!document) throw new DomainError('not_found');
  return { document, ownerId: await findDocumentOwner(ctx.db, documentId) };
}
