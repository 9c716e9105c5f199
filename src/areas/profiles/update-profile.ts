import { checkAll, fieldProblem } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { audit } from '../audit/index.ts';
import { lockOwnPhoto } from '../files/index.ts';
import { wakeDependents } from './dependents.ts';
import type { Profile } from './entities.ts';
import { changedFields, checkChangedData, flagDuplicateIins, iinOf, isIdentityField, nameOf } from './identity.ts';
import { requireFreeIin } from './profile-data.ts';
import { lockOwnProfile } from './queries.ts';
import { transition } from './states.ts';

export interface ProfileChanges {
  /** Fields of `data`; null removes one. */
  data?: Record<string, unknown> | undefined;
  /** Another photo; null removes it. */
  photoId?: string | null | undefined;
}

/**
 * Changes a profile for its owner. A changed identity and a changed photo return to review separately (PRO-3). Values equal to
 * the stored ones change nothing.
 * @throws {DomainError} not_found; validation_failed; duplicate_profile with `profile_id`; invalid_state when the data was refused
 */
export async function updateProfile(ctx: CommandContext, profileId: number, changes: ProfileChanges): Promise<Readonly<Profile>> {
  const profile = await lockOwnProfile(ctx, profileId);
  const [changedData, changedPhoto] = await checkAll(
    () => changeData(ctx, profile, changes.data ?? {}),
    () => changePhoto(ctx, profile, changes.photoId),
  );
  const changed = [...changedData, ...changedPhoto];
  if (changed.length === 0) return profile;
  const oldIin = profile.iin;
  profile.iin = iinOf(profile.kind, profile.data);
  if (profile.iin !== oldIin) profile.duplicateIin = await flagDuplicateIins(ctx, { profileId, left: oldIin, taken: profile.iin });
  profile.updatedAt = ctx.now;
  const facts = { changed, status: profile.status, photo_status: profile.photoStatus };
  await audit(ctx, 'profile.updated', { kind: 'profile', id: profileId }, facts);
  ctx.wake(processRef('profile', profileId));
  await wakeDependents(ctx, profileId);
  return profile;
}

/** @returns names of the changed fields */
async function changeData(ctx: CommandContext, profile: Locked<Profile>, changes: Record<string, unknown>): Promise<string[]> {
  const { kind } = profile;
  const data = await checkChangedData(kind, profile.data, changes, ctx.now);
  const changed = changedFields(profile.data, data);
  if (changed.length === 0) return [];
  await requireFreeIin(ctx, profile.ownerId, iinOf(kind, data), profile.id);
  const isIdentity = changed.some((field) => isIdentityField(kind, field));
  transition(profile, { kind: isIdentity ? 'edit_identity' : 'edit_contacts' }, ctx.now);
  profile.data = data;
  profile.isCorrected = true;
  profile.name = nameOf(kind, data);
  return changed;
}

async function changePhoto(ctx: CommandContext, profile: Locked<Profile>, photoId: string | null | undefined): Promise<string[]> {
  if (photoId === undefined || photoId === profile.photoId) return [];
  if (photoId !== null) {
    await lockOwnPhoto(ctx, photoId, profile.ownerId);
    transition(profile, { kind: 'replace_photo' }, ctx.now);
  } else {
    if (profile.kind === 'athlete' && profile.status !== 'draft') {
      throw fieldProblem('body.photo_id', 'required', 'a submitted athlete must keep a photo; replace it instead');
    }
    transition(profile, { kind: 'remove_photo' }, ctx.now);
  }
  profile.photoId = photoId;
  profile.isPhotoCorrected = true;
  return ['photo_id'];
}
