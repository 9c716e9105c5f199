import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { audit } from '../audit/index.ts';
import { profileDependents } from './dependents.ts';
import { flagDuplicateIins } from './identity.ts';
import { lockOwnProfile } from './queries.ts';

/**
 * Deletes a profile that was never approved in any part, with its documents and its finished applications that were never paid
 * or issued (PRO-5). Decisions and the audit stay. The files stay with the owner, unused.
 * @throws {DomainError} not_found; profile_was_approved; profile_in_use with the records that use it, such as `applications`
 */
export async function deleteProfile(ctx: CommandContext, profileId: number): Promise<void> {
  // Upper areas first: their records use those of the lower areas.
  const dependents = ctx.extensions.of(profileDependents).toReversed();
  for (const { lock } of dependents) await lock?.(ctx, profileId);
  const profile = await lockOwnProfile(ctx, profileId);
  if (profile.everApproved) throw new DomainError('profile_was_approved');

  const removed: Record<string, number[]> = {};
  for (const { removeWith } of dependents) {
    const gone = await removeWith(ctx, profileId);
    if (gone !== null) removed[gone.name] = gone.ids;
  }
  await flagDuplicateIins(ctx, { profileId, left: profile.iin, taken: null });
  ctx.em.remove(profile);
  await audit(ctx, 'profile.deleted', { kind: 'profile', id: profileId }, { kind: profile.kind, ...removed }, { ownerId: profile.ownerId });
  ctx.wake(processRef('profile', profileId));
}
