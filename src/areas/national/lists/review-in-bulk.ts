import { reviewApplicationUpdate } from '../../../../workflows/application-lifecycle.contract.ts';
import { DomainError, isDomainError } from '../../../errors.ts';
import { commit, query } from '../../../platform/command.ts';
import { type Caller, unrecorded } from '../../../platform/context.ts';
import { toDomainError } from '../../../platform/database/constraint-errors.ts';
import { inList } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { FairTurns } from '../../../platform/turns/fair-turns.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { applicationProcess } from '../../applications/index.ts';
import { type Decision, requireAdministrator, wordsOf } from '../../reviews/index.ts';
import { removeReviewed } from './change-list.ts';

export interface BulkReview {
  ids: readonly number[];
  decision: Decision;
  note?: string | null | undefined;
}

export interface BulkReviewOutcome {
  succeeded: number[];
  failed: { id: number; refusal: DomainError }[];
}

/**
 * Decisions that are sent at once: of one administrator, and of all by this process. Two hundred are done as soon with two at once as with
 * sixteen, since each is work for the same workers, but whoever sends a single command beside them waits twice as long with two, five times
 * with four and thirteen times with sixteen (measured on two cores).
 */
const [atOnce, atOnceInAll] = [2, 4];
const turns = new FairTurns<number>({ atOnce: atOnceInAll, atOnceEach: atOnce, waitingEach: 10 * atOnce, waitingInAll: 100 * atOnce });

/** So many in a row that Temporal does not answer, and it is not asked for the others: each waits for ten seconds. */
const mostSilent = 4;

/**
 * The same decision on many national certificates, each by its own process as `POST /admin/review` sends it, about the record as it stands
 * then. What is refused leaves the others. Those that were decided on leave the administrator's list `review`. A repeat with the same key
 * decides nothing twice. When Temporal does not answer several in a row, the rest is not sent any more. Nor is it once the administrator is
 * none any more: the rest fails as `forbidden`, and the list stays as it is.
 * @throws {DomainError} forbidden
 */
export async function reviewInBulk(
  platform: Platform,
  review: BulkReview,
  sent: { caller: Caller; idempotencyKey: string | null },
): Promise<BulkReviewOutcome> {
  const administratorId = requireAdministrator(sent.caller);
  const ids = [...new Set(review.ids)];
  const known = await findNationalIds(platform, ids);
  const refusals = new Map<number, DomainError | null>();
  const waiting = ids.values();
  let silent = 0;
  let isForbidden = false;
  const decide = async (id: number): Promise<DomainError | null> => {
    if (!known.has(id)) return new DomainError('not_found', undefined, 'There is no national certificate with this id.');
    if (isForbidden) return new DomainError('forbidden');
    if (silent >= mostSilent) return new DomainError('workflow_unavailable');
    const refusal = await turns
      .take(administratorId, () => send(platform, id, review, sent))
      .then(
        () => null,
        (error: unknown) => refusalOf(error, platform, sent.caller),
      );
    isForbidden ||= refusal?.code === 'forbidden';
    silent = refusal?.code === 'workflow_unavailable' ? silent + 1 : 0;
    return refusal;
  };
  const lane = async () => {
    for (const id of waiting) refusals.set(id, await decide(id));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const outcome = outcomeOf(ids, refusals);
  // Safe to run again, and a repeat may have more to remove.
  if (outcome.succeeded.length > 0 && !isForbidden) await takeOut(platform, unrecorded(sent.caller), outcome.succeeded);
  return outcome;
}

/** What was decided stays decided, and is told, also where the administrator has just become none. */
async function takeOut(platform: Platform, caller: Caller, ids: readonly number[]): Promise<void> {
  try {
    await commit(platform, caller, (ctx) => removeReviewed(ctx, ids));
  } catch (error) {
    if (!isDomainError(error) || error.code !== 'forbidden') throw error;
  }
}

function send(
  platform: Platform,
  id: number,
  { decision, note }: BulkReview,
  sent: { caller: Caller; idempotencyKey: string | null },
): Promise<void> {
  const args = { decision, revision: null, validFrom: null, validUntil: null };
  return sendCommand(platform, applicationProcess, id, reviewApplicationUpdate, { ...sent, args, words: wordsOf(note) });
}

/** Those of the ids that are applications for a national certificate. */
async function findNationalIds(platform: Platform, ids: readonly number[]): Promise<Set<number>> {
  const rows = await query(platform, (db) =>
    db.selectFrom('applications').select('id').where('id', '=', inList(ids)).where('kind', '=', 'national_certificate').execute(),
  );
  return new Set(rows.map(({ id }) => id));
}

/** What the answer says of one that did not go through; what it cannot say is for support. */
function refusalOf(error: unknown, { log }: Platform, { requestId }: Caller): DomainError {
  const refusal = isDomainError(error) ? error : toDomainError(error);
  if (refusal === null) log.error({ err: error, request_id: requestId }, 'a decision of many failed');
  return refusal ?? new DomainError('internal_error');
}

/** In the order in which they were asked for. */
function outcomeOf(ids: readonly number[], refusals: ReadonlyMap<number, DomainError | null>): BulkReviewOutcome {
  return {
    succeeded: ids.filter((id) => refusals.get(id) === null),
    failed: ids.flatMap((id) => {
      const refusal = refusals.get(id);
      return refusal ? [{ id, refusal }] : [];
    }),
  };
}
