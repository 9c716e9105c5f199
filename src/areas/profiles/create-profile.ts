import { checkAll } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { audit } from '../audit/index.ts';
import type { ProfileKind } from '../catalog/index.ts';
import { lockOwnPhoto } from '../files/index.ts';
import { type Profile, ProfileEntity } from './entities.ts';
import { checkBirthDate, flagDuplicateIins, iinOf, nameOf } from './identity.ts';
import { requireFreeIin, type ProfileData } from './profile-data.ts';
import { requirePlaceForProfile } from './quotas.ts';

export interface NewProfile {
  ownerId: number;
  kind: ProfileKind;
  data: ProfileData;
  photoId: string | null;
}

/**
 * Makes a draft of a profile. An account, such as a parent's or a club's, may have several athletes, but not two with the same
 * IIN (PRO-1).
 * @throws {DomainError} duplicate_profile with `profile_id`; validation_failed; quota_exceeded (PRO-10)
 */
export async function createProfile(ctx: CommandContext, { ownerId, kind, data, photoId }: NewProfile): Promise<Readonly<Profile>> {
  const iin = iinOf(kind, data);
  await requirePlaceForProfile(ctx, ownerId);
  await checkAll(
    () => checkBirthDate(kind, data, ctx.now),
    () => (photoId === null ? null : lockOwnPhoto(ctx, photoId, ownerId)),
  );
  await requireFreeIin(ctx, ownerId, iin, null);
  const duplicateIin = await flagDuplicateIins(ctx, { profileId: null, left: null, taken: iin });
  const profile = ctx.em.create(ProfileEntity, {
    ownerId,
    kind,
    name: nameOf(kind, data),
    data,
    iin,
    photoId,
    status: 'draft',
    photoStatus: 'draft',
    reviewNote: null,
    photoReviewNote: null,
    duplicateIin,
    submittedAt: null,
    statusSince: ctx.now,
    photoStatusSince: ctx.now,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  // The database assigns the id, which the audit needs.
  await ctx.em.flush();
  await audit(ctx, 'profile.created', { kind: 'profile', id: profile.id }, { kind });
  return profile;
}
