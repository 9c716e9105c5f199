import type { EntityManager } from '@mikro-orm/postgresql';
import { dayOf, yearOf } from '../platform/date-time.ts';
import { dueStep } from './due-step.ts';
import { findApplications } from './queries.ts';

/**
 * Applications for which something has become due: exactly those that `dueStep` would move. The statement narrows them down by
 * the index of live applications, the rule itself decides: one that only looks due is not driven round in circles.
 * @param afterId ids above it
 * @returns ascending, at most `limit`, and at least one while there are any
 */
export async function findDue(em: EntityManager, now: Date, afterId: number, limit: number): Promise<number[]> {
  for (let after = afterId; ;) {
    const candidates = await findCandidates(em, now, after, limit);
    const records = await findApplications(em, candidates);
    const due = records.filter((record) => dueStep(record, now) !== null).map(({ id }) => id);
    const last = candidates.at(-1);
    if (due.length > 0 || last === undefined) return due;
    after = last;
  }
}

/** The year is over, a linked document has lapsed, or a national certificate is paid and nothing attached to it waits for a review. */
async function findCandidates(em: EntityManager, now: Date, afterId: number, limit: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>(
    `select a.id from applications a
     where a.id > ? and a.status not in ('cancelled', 'closed') and (
       a.year < ?
       or (a.status in ('submitted', 'approved') and exists (
         select from application_documents ad join documents d on d.id = ad.document_id
         where ad.application_id = a.id and (d.status = 'expired' or d.expires_at < ?)))
       or (a.status = 'submitted' and a.kind = 'national_certificate' and (a.paid or a.amount_minor = 0)
         and exists (select from profiles p where p.id = a.profile_id and p.status = 'approved')
         and not exists (
           select from application_documents ad join documents d on d.id = ad.document_id
           where ad.application_id = a.id and d.status <> 'approved')))
     order by a.id limit ?`,
    [afterId, yearOf(now), dayOf(now), limit],
  );
  return rows.map((row) => row.id);
}

/** Applications that need a running process: those that wait for somebody or for a date. */
export async function findLive(em: EntityManager, afterId: number, limit: number): Promise<number[]> {
  const rows = await em.execute<{ id: number }[]>(
    `select id from applications where id > ? and status not in ('cancelled', 'closed') order by id limit ?`,
    [afterId, limit],
  );
  return rows.map((row) => row.id);
}
