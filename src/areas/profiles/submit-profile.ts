import { fieldProblem } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { audit } from '../audit/index.ts';
import { wakeDependents } from './dependents.ts';
import type { Profile } from './entities.ts';
import { lockOwnProfile } from './queries.ts';
import { transition } from './states.ts';

/**
 * Submits a profile for review (PRO-2, PRO-8). Only parts that need a review move: an approved photo stays approved.
 * @throws {DomainError} not_found; validation_failed when an athlete has no photo; invalid_state when there is nothing to review
 */
export async function submitProfile(ctx: CommandContext, profileId: number): Promise<Readonly<Profile>> {
  const profile = await lockOwnProfile(ctx, profileId);
  transition(profile, { kind: 'submit' }, ctx.now);
  if (profile.kind === 'athlete' && profile.photoId === null)
    throw fieldProblem('photo_id', 'required', 'is required: add a photo of the athlete before the submission');
  profile.updatedAt = ctx.now;
  const facts = { status: profile.status, photo_status: profile.photoStatus };
  await audit(ctx, 'profile.submitted', { kind: 'profile', id: profileId }, facts);
  ctx.wake(processRef('profile', profileId));
  await wakeDependents(ctx, profileId);
  return profile;
}
