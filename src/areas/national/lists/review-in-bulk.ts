import { DomainError, isDomainError } from '../../../errors.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { type Caller, unrecorded } from '../../../platform/commands/context.ts';
import { toDomainError } from '../../../platform/database/constraint-errors.ts';
import { inList } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { FairTurns } from '../../../platform/turns/fair-turns.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { applicationProcess } from '../../applications/index.ts';
import { type Decision, privateNote, requireAdministrator } from '../../reviews/index.ts';
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
 * Concurrent decisions of one administrator, and of all in this process. More would not finish sooner, because the workers are shared, and
 * would delay single commands: 2 times with two, 5 times with four, 13 times with sixteen (measured on two cores).
 */
const [atOnce, atOnceInAll] = [2, 4];
const turns = new FairTurns<number>({ atOnce: atOnceInAll, atOnceEach: atOnce, waitingEach: 10 * atOnce, waitingInAll: 100 * atOnce });

/** Consecutive unanswered commands, of ten seconds each, after which the rest is not sent (NAT-7). */
const mostUnanswered = 4;

/**
 * Sends the same decision to the processes of many national certificates (NAT-7).
 *
 * Each decision is about the record's revision at that time; a refusal does not affect the others. Decided records leave the
 * administrator's list `review`. A repeat with the same key decides nothing twice. The rest fails with `workflow_unavailable` when Temporal
 * stops answering, and with `forbidden` when the administrator loses the role; the list then stays unchanged.
 * @throws {DomainError} forbidden
 */
export async function reviewInBulk(platform: Platform, review: BulkReview, caller: Caller): Promise<BulkReviewOutcome> {
  const administratorId = requireAdministrator(caller);
  const ids = [...new Set(review.ids)];
  // Binds the key to this request before the first decision.
  await commit(platform, caller, async () => undefined);
  const known = await findNationalIds(platform, ids);
  const refusals = new Map<number, DomainError | null>();
  const waiting = ids.values();
  let unanswered = 0;
  let isForbidden = false;
  const decide = async (id: number): Promise<DomainError | null> => {
    if (!known.has(id)) return new DomainError('not_found', undefined, 'No national certificate has this id.');
    if (isForbidden) return new DomainError('forbidden');
    if (unanswered >= mostUnanswered) return new DomainError('workflow_unavailable');
    const refusal = await turns
      .take(administratorId, () => send(platform, id, review, caller))
      .then(
        () => null,
        (error: unknown) => refusalOf(error, platform, caller),
      );
    isForbidden ||= refusal?.code === 'forbidden';
    unanswered = refusal?.code === 'workflow_unavailable' ? unanswered + 1 : 0;
    return refusal;
  };
  const lane = async () => {
    for (const id of waiting) refusals.set(id, await decide(id));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const outcome = outcomeOf(ids, refusals);
  // Idempotent; a repeat may have more records to remove.
  if (outcome.succeeded.length > 0 && !isForbidden) await removeFromList(platform, unrecorded(caller), outcome.succeeded);
  return outcome;
}

/** Ignores `forbidden`: the decisions are made and must be answered, even if the administrator has just lost the role. */
async function removeFromList(platform: Platform, caller: Caller, ids: readonly number[]): Promise<void> {
  try {
    await commit(platform, caller, (ctx) => removeReviewed(ctx, ids));
  } catch (error) {
    if (!isDomainError(error) || error.code !== 'forbidden') throw error;
  }
}

function send(platform: Platform, id: number, { decision, note }: BulkReview, caller: Caller): Promise<void> {
  const args = { decision, revision: null, validFrom: null, validUntil: null };
  const commandId = caller.idempotency?.commandIdFor(id);
  return sendCommand(platform, applicationProcess, id, 'review', {
    caller: unrecorded(caller),
    commandId,
    args,
    privateInput: privateNote(note),
  });
}

/** Finds which ids are applications for a national certificate. */
async function findNationalIds(platform: Platform, ids: readonly number[]): Promise<Set<number>> {
  const rows = await query(platform, (db) =>
    db.selectFrom('applications').select('id').where('id', '=', inList(ids)).where('kind', '=', 'national_certificate').execute(),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Converts an error to the refusal that the answer shows; logs an unexpected error. */
function refusalOf(error: unknown, { log }: Platform, { requestId }: Caller): DomainError {
  const refusal = isDomainError(error) ? error : toDomainError(error);
  if (refusal === null) log.error({ err: error, request_id: requestId }, 'Cannot apply one decision of a bulk review');
  return refusal ?? new DomainError('internal_error');
}

/** Keeps the order of the request. */
function outcomeOf(ids: readonly number[], refusals: ReadonlyMap<number, DomainError | null>): BulkReviewOutcome {
  return {
    succeeded: ids.filter((id) => refusals.get(id) === null),
    failed: ids.flatMap((id) => {
      const refusal = refusals.get(id);
      return refusal ? [{ id, refusal }] : [];
    }),
  };
}
