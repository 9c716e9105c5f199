import { audit } from '../administration/audit.ts';
import { checkAll, fieldProblem } from '../errors.ts';
import { imageMimes, lockOwnFile } from '../files/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { checkBirthDate, mergeData } from './check-data.ts';
import type { Profile } from './entities.ts';
import { flagDuplicateIins } from './flag-duplicate-iins.ts';
import { changedFields, iinOf, isIdentityField, nameOf } from './identity.ts';
import { applyState, lockOwnProfile, stateOf } from './lock-profile.ts';
import { requireFreeIin } from './require-free-iin.ts';
import { nextProfileState } from './states.ts';
import type { ProfileAction } from './states.ts';
import { touchApplicationsOfProfile } from './touch-applications.ts';

export interface ProfileChanges {
  /** Fields of `data`; null removes one. */
  data?: Record<string, unknown> | undefined;
  /** Another photo; null takes it out. */
  photoId?: string | null | undefined;
}

/**
 * The owner changes a profile. Identity and photo that were approved go back to review, each by itself; a change that changes
 * nothing leaves everything as it is (decisions.md §3).
 * @throws {DomainError} not_found; validation_failed; duplicate_profile with `profile_id`; invalid_state when the data was refused for good
 */
export async function updateProfile(ctx: CommandContext, profileId: number, changes: ProfileChanges): Promise<void> {
  const profile = await lockOwnProfile(ctx, profileId);
  const [changedData, changedPhoto] = await checkAll(
    () => changeData(ctx, profile, changes.data ?? {}),
    () => changePhoto(ctx, profile, changes.photoId),
  );
  const changed = [...changedData, ...changedPhoto];
  if (changed.length === 0) return;
  const oldIin = profile.iin;
  profile.iin = iinOf(profile.kind, profile.data);
  if (profile.iin !== oldIin) profile.duplicateIin = false;
  profile.updatedAt = ctx.now;
  await ctx.em.flush();
  if (profile.iin !== oldIin) await flagDuplicateIins(ctx, [oldIin, profile.iin]);
  audit(ctx, 'profile.updated', { kind: 'profile', id: profileId }, { changed, status: profile.status, photo_status: profile.photoStatus });
  ctx.touch(processRef('profile', profileId));
  await touchApplicationsOfProfile(ctx, profileId);
}

/** @returns names of the changed fields */
async function changeData(ctx: CommandContext, profile: Profile, changes: Record<string, unknown>): Promise<string[]> {
  const { kind } = profile;
  const data = mergeData(kind, profile.data, changes);
  const changed = changedFields(profile.data, data);
  if (changed.length === 0) return [];
  checkBirthDate(kind, data, ctx.now);
  await requireFreeIin(ctx, profile.ownerId, iinOf(kind, data), profile.id);
  const isIdentity = changed.some((field) => isIdentityField(kind, field));
  act(ctx, profile, { kind: isIdentity ? 'edit_identity' : 'edit_contacts' });
  profile.data = data;
  profile.name = nameOf(kind, data);
  return changed;
}

async function changePhoto(ctx: CommandContext, profile: Profile, photoId: string | null | undefined): Promise<string[]> {
  if (photoId === undefined || photoId?.toLowerCase() === profile.photoId) return [];
  if (photoId !== null) {
    await lockOwnFile(ctx, photoId, profile.ownerId, imageMimes, 'body.photo_id');
    act(ctx, profile, { kind: 'replace_photo' });
  } else {
    if (profile.kind === 'athlete' && profile.status !== 'draft') {
      throw fieldProblem('body.photo_id', 'required', 'an athlete who was submitted keeps a photo; send another one');
    }
    act(ctx, profile, { kind: 'remove_photo' });
  }
  profile.photoId = photoId;
  return ['photo_id'];
}

function act(ctx: CommandContext, profile: Profile, action: ProfileAction): void {
  applyState(profile, nextProfileState(stateOf(profile), action), ctx.now);
}
