import { audit } from '../administration/audit.ts';
import { ReviewDecisionEntity } from '../administration/entities.ts';
import { requireAdministrator } from '../administration/require-administrator.ts';
import { fieldProblem } from '../errors.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { applyState, lockProfile, stateOf } from './lock-profile.ts';
import { nextProfileState } from './states.ts';
import type { ReviewDecision, ReviewPart } from './states.ts';
import { touchApplicationsOfProfile } from './touch-applications.ts';

export interface ProfileReview {
  part: ReviewPart;
  decision: ReviewDecision;
  /** 5-3000 characters; required for `changes` and `cancel`. */
  note: string | null;
}

/**
 * An administrator's decision on the data or on the photo of a profile; the other part stays as it is (decisions.md §3, §4).
 * Approval clears the note, the history keeps every decision. The same decision with the same note on a part that stands so
 * already is a repeat: it writes nothing and tells nobody twice.
 * @throws {DomainError} not_found; forbidden; validation_failed without a note; invalid_state when the part was never submitted
 */
export async function reviewProfile(ctx: CommandContext, profileId: number, { part, decision, note }: ProfileReview): Promise<void> {
  const actorId = requireAdministrator(ctx);
  if (decision !== 'approve' && (note === null || note.length < 5 || note.length > 3000)) {
    throw fieldProblem('body.note', 'required', 'a decision other than approval needs a note of 5-3000 characters');
  }
  const profile = await lockProfile(ctx, profileId);
  const before = stateOf(profile);
  const after = nextProfileState(before, { kind: 'review', part, decision });
  const [fromStatus, toStatus] = part === 'photo' ? [before.photoStatus, after.photoStatus] : [before.status, after.status];
  const oldNote = part === 'photo' ? profile.photoReviewNote : profile.reviewNote;
  const newNote = decision === 'approve' ? null : note;
  if (fromStatus === toStatus && oldNote === newNote) return;

  applyState(profile, after, ctx.now);
  if (part === 'photo') profile.photoReviewNote = newNote;
  else profile.reviewNote = newNote;
  if (decision === 'approve') profile.everApproved = true;
  profile.updatedAt = ctx.now;
  ctx.em.create(ReviewDecisionEntity, {
    subjectKind: part,
    subjectId: profileId,
    decision,
    note,
    fromStatus,
    toStatus,
    actorId,
    requestId: ctx.requestId,
    at: ctx.now,
  });
  audit(ctx, `${part}.${past[decision]}`, { kind: 'profile', id: profileId }, { from: fromStatus, to: toStatus });
  notify(ctx, profile.ownerId, `${part}.${past[decision]}`, { kind: 'profile', id: profileId }, newNote === null ? {} : { note: newNote });
  ctx.touch(processRef('profile', profileId));
  await touchApplicationsOfProfile(ctx, profileId);
}

const past = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;
