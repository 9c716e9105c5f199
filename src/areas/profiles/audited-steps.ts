import { type RawBuilder, sql } from 'kysely';
import { mostTimelineSteps, type TimelineStep } from '../../http/schemas.ts';
import type { Database } from '../../platform/database/database.ts';

/** A step of a record in its audit, with the note of the decision that one transaction wrote with it. */
export interface AuditedStep<Step extends string> {
  at: Date;
  step: Step;
  data: Record<string, unknown>;
  /** The account that acted, under impersonation the impersonated one; null for the registry. */
  userId: number | null;
  /** Whether this account owned the profile then and does not own it now. */
  isFormerOwner: boolean;
  note: string | null;
}

/**
 * Reads the steps of a record from its audit, oldest first. Uses audit_events_subject_index.
 * @param steps the audit actions of the record that are steps, without its kind
 * @param reviewedAs the kind of its decisions
 * @param profileId the profile of the record
 */
export async function readAuditedSteps<Step extends string>(
  db: Database,
  subject: { kind: string; id: number },
  { steps, reviewedAs, profileId }: { steps: readonly Step[]; reviewedAs: string; profileId: RawBuilder<number> },
): Promise<AuditedStep<Step>[]> {
  const userId = sql<number | null>`coalesce(${sql.ref('a.impersonatedUserId')}, ${sql.ref('a.actorId')})`;
  const actions = steps.map((step) => `${subject.kind}.${step}`);
  const latest = await db
    .selectFrom('audit_events as a')
    .where('a.subjectKind', '=', subject.kind)
    .where('a.subjectId', '=', String(subject.id))
    .where('a.action', 'in', actions)
    .select((eb) => [
      'a.at',
      sql<string>`split_part(${sql.ref('a.action')}, '.', 2)`.as('step'),
      'a.data',
      userId.as('userId'),
      wasOwner(profileId, userId).as('isFormerOwner'),
      eb
        .selectFrom('review_decisions as r')
        .select('r.note')
        .where('r.subjectKind', '=', reviewedAs)
        .where('r.subjectId', '=', subject.id)
        .whereRef('r.requestId', '=', 'a.requestId')
        .whereRef('r.at', '=', 'a.at')
        .orderBy('r.id')
        .limit(1)
        .as('note'),
    ])
    .orderBy('a.at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(mostTimelineSteps)
    .execute();
  // The actions in the condition are those of `steps`.
  return latest.toReversed() as AuditedStep<Step>[];
}

/** Whether an account has been the owner of a profile, in SQL: earlier actions keep the role owner. Uses audit_events_subject_index. */
function wasOwner(profileId: RawBuilder<number>, userId: RawBuilder<number | null>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from audit_events t where t.subject_kind = 'profile' and t.subject_id = ${profileId}::text
    and t.action = 'profile.transferred' and t.data ->> 'from' = ${userId}::text)`;
}

/**
 * Returns the part that took a step. An account may be both owner and administrator, so the step itself says who acted: `by` in its audit,
 * else `parts`; the account decides only about steps that both sides take.
 * @param parts steps that one side alone takes
 */
export function actorOfStep<Step extends string>(
  { userId, isFormerOwner, step, data }: AuditedStep<Step>,
  ownerId: number,
  parts: Partial<Record<Step, 'owner' | 'administrator'>>,
): TimelineStep['actor'] {
  if (userId === null) return 'system';
  if (data['by'] === 'owner' || data['by'] === 'administrator') return data['by'];
  const part = parts[step];
  if (part !== undefined) return part;
  return userId === ownerId || isFormerOwner ? 'owner' : 'administrator';
}
