import type { CommandContext } from '../../platform/commands/context.ts';
import { requireSeen } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { audit } from '../audit/index.ts';
import { holdFile } from '../files/index.ts';
import { notify } from '../notifications/index.ts';
import { type Decision, recordDecision, requireAdministrator, requireNote } from '../reviews/index.ts';
import { wakeDependents } from './dependents.ts';
import type { Profile } from './entities.ts';
import { profileNotifications } from './notifications.ts';
import { lockProfile } from './queries.ts';
import { checkTransition, type ReviewPart, stateOf, transition } from './states.ts';

interface ProfileReview {
  part: ReviewPart;
  decision: Decision;
  /** `updated_at` of the profile as the administrator read it, an ISO 8601 instant (REV-5). */
  updatedAt?: string;
  /** 5-3000 characters; required for `changes` and `cancel`. */
  note?: string | null;
}

/**
 * Records an administrator's decision on the data or the photo of a profile; the other part stays (PRO-2).
 *
 * Approval clears the note; the history keeps every decision. Idempotent: the same decision with the same note writes nothing and
 * sends no second notification.
 * @throws {DomainError} not_found; forbidden; validation_failed without a note; invalid_state when the part was never submitted;
 *   stale_revision (REV-5); file_missing when the photo was deleted (REV-6)
 */
export async function reviewProfile(
  ctx: CommandContext,
  profileId: number,
  { part, decision, note = null, updatedAt }: ProfileReview,
): Promise<Readonly<Profile>> {
  requireAdministrator(ctx);
  requireNote(decision, note);
  const profile = await lockProfile(ctx, profileId);
  requireSeen(profile, updatedAt);
  const before = stateOf(profile);
  const action = { kind: 'review', part, decision } as const;
  const after = checkTransition(before, action);
  const [fromStatus, toStatus] = part === 'photo' ? [before.photoStatus, after.photoStatus] : [before.status, after.status];
  const oldNote = part === 'photo' ? profile.photoReviewNote : profile.reviewNote;
  const newNote = decision === 'approve' ? null : note;
  if (fromStatus === toStatus && oldNote === newNote) return profile;
  if (part === 'photo' && decision === 'approve' && profile.photoId !== null) await holdFile(ctx, profile.photoId);

  transition(profile, action, ctx.now);
  if (part === 'photo') Object.assign(profile, { photoReviewNote: newNote, isPhotoCorrected: false });
  else Object.assign(profile, { reviewNote: newNote, isCorrected: false });
  if (decision === 'approve') profile.everApproved = true;
  profile.updatedAt = ctx.now;
  await recordDecision(ctx, { subject: { kind: part, id: profileId }, decision, note, fromStatus, toStatus });
  await audit(ctx, `${part}.${past[decision]}`, { kind: 'profile', id: profileId }, { from: fromStatus, to: toStatus });
  const facts = {
    ...(part === 'photo' && profile.status === 'cancelled' ? { data: 'refused' } : {}),
    ...(newNote === null ? {} : { note: newNote }),
  };
  await notify(ctx, profile.ownerId, profileNotifications[`${part}.${past[decision]}`], { kind: 'profile', id: profileId }, facts);
  ctx.wake(processRef('profile', profileId));
  await wakeDependents(ctx, profileId);
  return profile;
}

const past = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;
