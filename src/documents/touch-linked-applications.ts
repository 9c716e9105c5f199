import type { EntityManager } from '@mikro-orm/postgresql';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { executePrepared } from '../platform/database/prepared.ts';

/** Ids of the live applications (neither cancelled nor closed) that a document is attached to, ascending. */
export async function listLinkedApplications(em: EntityManager, documentId: number): Promise<number[]> {
  const rows = await executePrepared<{ id: number }>(
    em,
    `select a.id from application_documents ad join applications a on a.id = ad.application_id
     where ad.document_id = $1 and a.status not in ('cancelled', 'closed') order by a.id`,
    [documentId],
  );
  return rows.map(({ id }) => id);
}

/** Lets every live application that stands on a document look at it again. @returns their ids */
export async function touchLinkedApplications(ctx: CommandContext, documentId: number): Promise<number[]> {
  const ids = await listLinkedApplications(ctx.em, documentId);
  for (const id of ids) ctx.touch(processRef('application', id));
  return ids;
}
