import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentEntity } from '../documents/entities.ts';
import type { Document } from '../documents/entities.ts';
import { ProfileEntity } from '../profiles/entities.ts';
import type { Profile } from '../profiles/entities.ts';

/** One decision on an application; `at` is an ISO 8601 instant. */
export interface ApplicationDecision {
  decision: 'approve' | 'changes' | 'cancel';
  note: string | null;
  from_status: string;
  to_status: string;
  actor_id: number;
  at: string;
}

/** What an administrator looks at beside the application itself. */
export interface RecordsBehind {
  owner: { id: number; name: string; email: string };
  profile: Profile;
  documents: Document[];
  history: ApplicationDecision[];
}

/** The records behind an application and the decisions on it; null when there is no such application. */
export async function findRecordsBehind(em: EntityManager, applicationId: number): Promise<RecordsBehind | null> {
  const [row] = await em.execute<
    { owner: RecordsBehind['owner']; history: ApplicationDecision[]; profile_id: number; document_ids: number[] }[]
  >(
    `select a.profile_id, json_build_object('id', u.id, 'name', u.name, 'email', u.email) as owner,
       (select coalesce(json_agg(ad.document_id), '[]') from application_documents ad where ad.application_id = a.id) as document_ids,
       (select coalesce(json_agg(json_build_object('decision', r.decision, 'note', r.note, 'from_status', r.from_status, 'to_status', r.to_status,
                 'actor_id', r.actor_id, 'at', r.at) order by r.id), '[]')
          from review_decisions r where r.subject_kind = 'application' and r.subject_id = a.id) as history
     from applications a join users u on u.id = a.owner_id where a.id = ?`,
    [applicationId],
  );
  if (!row) return null;
  const profile = await em.findOneOrFail(ProfileEntity, { id: row.profile_id });
  const documents = await em.find(DocumentEntity, { id: { $in: row.document_ids } }, { orderBy: { id: 'asc' } });
  return { owner: row.owner, history: row.history, profile, documents };
}
