import { audit } from '../administration/audit.ts';
import { fieldProblem } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { applyState, lockOwnProfile, stateOf } from './lock-profile.ts';
import { nextProfileState } from './states.ts';
import { touchApplicationsOfProfile } from './touch-applications.ts';

/**
 * The owner puts a profile before an administrator; only what needs a review moves, an approved photo stays approved.
 * @throws {DomainError} not_found; validation_failed when an athlete has no photo; invalid_state when there is nothing to review
 */
export async function submitProfile(ctx: CommandContext, profileId: number): Promise<void> {
  const profile = await lockOwnProfile(ctx, profileId);
  const next = nextProfileState(stateOf(profile), { kind: 'submit' });
  if (profile.kind === 'athlete' && profile.photoId === null)
    throw fieldProblem('photo_id', 'required', 'an athlete needs a photo before the review');
  applyState(profile, next, ctx.now);
  profile.updatedAt = ctx.now;
  audit(ctx, 'profile.submitted', { kind: 'profile', id: profileId }, { status: next.status, photo_status: next.photoStatus });
  ctx.touch(processRef('profile', profileId));
  await touchApplicationsOfProfile(ctx, profileId);
}
