import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentDecision } from './states.ts';
import { DocumentEntity } from './entities.ts';
import type { Document } from './entities.ts';
import { executePrepared } from '../platform/database/prepared.ts';
import { loadById } from '../platform/database/load.ts';

/** One decision of an administrator; `at` is an ISO 8601 instant. */
export interface PastDecision {
  decision: DocumentDecision;
  note: string | null;
  at: string;
}

/** A document with what a reader of it may ask. */
export interface DocumentView {
  document: Document;
  ownerId: number;
  history: PastDecision[];
  /** Ids of applications that are no drafts; while there are any, the document cannot be changed (decisions.md §3 "Unused"). */
  usedBy: number[];
}

export async function findDocument(em: EntityManager, id: number): Promise<Readonly<Document> | null> {
  return loadById(em, DocumentEntity, id);
}

/** All documents of a profile, oldest first. */
export async function listDocumentsOfProfile(em: EntityManager, profileId: number): Promise<Document[]> {
  return em.find(DocumentEntity, { profileId }, { orderBy: { id: 'asc' } });
}

/** A document with its owner, its decisions and its uses, in one statement. */
export async function findDocumentView(em: EntityManager, id: number): Promise<DocumentView | null> {
  const [row] = await em.execute<(Record<string, unknown> & { owner_id: number; history: PastDecision[]; used_by: number[] })[]>(
    `select d.*, p.owner_id,
       (select coalesce(json_agg(json_build_object('decision', r.decision, 'note', r.note, 'at', r.at) order by r.id), '[]')
          from review_decisions r where r.subject_kind = 'document' and r.subject_id = d.id) as history,
       (select coalesce(json_agg(a.id order by a.id), '[]')
          from application_documents ad join applications a on a.id = ad.application_id
         where ad.document_id = d.id and a.status <> 'draft') as used_by
     from documents d join profiles p on p.id = d.profile_id where d.id = ?`,
    [id],
  );
  if (!row) return null;
  const { owner_id: ownerId, history, used_by: usedBy, ...columns } = row;
  return { document: em.map(DocumentEntity, columns), ownerId, history, usedBy };
}

/** The account that a document belongs to; null when there is no such document. */
export async function findDocumentOwner(em: EntityManager, id: number): Promise<number | null> {
  const [row] = await executePrepared<{ owner_id: number }>(
    em,
    'select p.owner_id from documents d join profiles p on p.id = d.profile_id where d.id = $1',
    [id],
  );
  return row?.owner_id ?? null;
}

/** Ids of the applications a document is attached to and that are no drafts, ascending. */
export async function listUses(em: EntityManager, documentId: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>(
    `select a.id from application_documents ad join applications a on a.id = ad.application_id
     where ad.document_id = ? and a.status <> 'draft' order by a.id`,
    [documentId],
  );
  return rows.map(({ id }) => id);
}

/** One recorded fact of a document's life. `what`: the decision, or `created`, `updated`, `file_deleted`, `expired`. */
export interface DocumentFact {
  what: DocumentDecision | 'created' | 'updated' | 'file_deleted' | 'expired';
  note: string | null;
  at: string;
}

/** What happened to a document, oldest first: decisions with their notes, and what the journal holds beside them. */
export async function listDocumentFacts(em: EntityManager, id: number): Promise<DocumentFact[]> {
  const [row] = await em.execute<{ facts: DocumentFact[] }[]>(
    `select coalesce(json_agg(json_build_object('what', f.what, 'note', f.note, 'at', f.at) order by f.at, f.rank, f.id), '[]') as facts from (
       select 'created' as what, null as note, d.created_at as at, 0 as rank, 0 as id from documents d where d.id = ?
       union all
       select r.decision, r.note, r.at, 1, r.id from review_decisions r where r.subject_kind = 'document' and r.subject_id = ?
       union all
       select split_part(e.action, '.', 2), e.data->>'reason', e.at, case e.action when 'document.expired' then 0 else 1 end, e.id
         from audit_events e
        where e.subject_kind = 'document' and e.subject_id = ? and e.action in ('document.updated', 'document.file_deleted', 'document.expired')
     ) f`,
    [id, id, String(id)],
  );
  return row?.facts ?? [];
}
