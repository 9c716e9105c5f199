import type { CommandContext } from '../../platform/commands/context.ts';
import { requireVersion } from '../../platform/database/lock.ts';
import { requireNotErased } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { wakeDependents } from './dependents.ts';
import type { Profile } from './entities.ts';
import { changedFields, checkChangedData, flagDuplicateIins, iinOf, nameOf } from './identity.ts';
import { recordNotifications } from './notifications.ts';
import { requireFreeIin } from './profile-data.ts';
import { lockProfile } from './queries.ts';

export interface ProfileCorrection {
  /** Fields of `data`; null removes one. */
  data: Record<string, unknown>;
  /** `updated_at` of the version that the administrator has read. */
  updatedAt: Date;
}

/**
 * Corrects the data of a profile for an administrator (PRO-7). Reviews, photo and issued certificates stay. A correction that
 * changes nothing writes nothing.
 * @throws {DomainError} forbidden; not_found; stale_revision; invalid_state for an erased account; validation_failed; duplicate_profile with
 *   `profile_id`
 */
export async function correctProfile(
  ctx: CommandContext,
  profileId: number,
  { data: changes, updatedAt }: ProfileCorrection,
): Promise<Readonly<Profile>> {
  requireAdministrator(ctx);
  const profile = await lockProfile(ctx, profileId);
  const { kind, ownerId, iin: oldIin } = profile;
  await requireNotErased(ctx, ownerId);
  requireVersion(profile, updatedAt);
  const data = await checkChangedData(kind, profile.data, changes, ctx.now);
  const changed = changedFields(profile.data, data);
  if (changed.length === 0) return profile;
  const iin = iinOf(kind, data);
  await requireFreeIin(ctx, ownerId, iin, profileId);

  profile.data = data;
  profile.name = nameOf(kind, data);
  profile.iin = iin;
  if (iin !== oldIin) profile.duplicateIin = await flagDuplicateIins(ctx, { profileId, left: oldIin, taken: iin });
  profile.updatedAt = ctx.now;
  const subject = { kind: 'profile', id: profileId };
  await audit(ctx, 'profile.corrected', subject, { changed });
  await notify(ctx, ownerId, recordNotifications['record.corrected'], subject, { record: 'profile', fields: changed });
  await wakeDependents(ctx, profileId);
  return profile;
}
