import { audit } from '../administration/audit.ts';
import { DomainError } from '../errors.ts';
import { actingUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { flagDuplicateIins } from './flag-duplicate-iins.ts';
import { lockOwnProfile } from './lock-profile.ts';

/**
 * Deletes a profile of which neither the data nor the photo was ever approved, with its documents and with those of its
 * applications that are over and came to nothing: never paid, never issued (service.md "Profile"). Decisions and the journal
 * stay; the files stay the owner's, unused.
 * @throws {DomainError} not_found; profile_was_approved; profile_in_use with `applications`, the ones that stand in the way
 */
export async function deleteProfile(ctx: CommandContext, profileId: number): Promise<void> {
  await lockOwnApplications(ctx, profileId);
  const profile = await lockOwnProfile(ctx, profileId);
  if (profile.everApproved) throw new DomainError('profile_was_approved');
  const standing = await findStandingApplications(ctx, profileId);
  if (standing.length > 0) throw new DomainError('profile_in_use', { applications: standing });

  // What links them to documents goes with them, by the foreign key.
  const applications = await deleteReturningIds(ctx, 'applications', profileId);
  const documents = await deleteReturningIds(ctx, 'documents', profileId);
  ctx.em.remove(profile);
  await ctx.em.flush();
  await flagDuplicateIins(ctx, [profile.iin]);
  audit(ctx, 'profile.deleted', { kind: 'profile', id: profileId }, { kind: profile.kind, documents, applications });
  ctx.touch(processRef('profile', profileId));
  for (const id of documents) ctx.touch(processRef('document', id));
}

/** Before the profile's own row, as every command takes them: one that is just being cancelled is waited for. */
async function lockOwnApplications(ctx: CommandContext, profileId: number): Promise<void> {
  await ctx.em.execute('select id from applications where profile_id = ? and owner_id = ? order by id for update', [
    profileId,
    actingUserId(ctx.actor),
  ]);
}

/** Applications that keep the profile, ascending. Once the profile is locked none can join them. */
async function findStandingApplications(ctx: CommandContext, profileId: number): Promise<number[]> {
  const rows = await ctx.em.execute<{ id: number }[]>(
    `select a.id from applications a
      where a.profile_id = ?
        and (a.status not in ('cancelled', 'closed') or a.payment_transaction_id is not null
          or exists (select from certificates c where c.application_id = a.id))
      order by a.id`,
    [profileId],
  );
  return rows.map(({ id }) => id);
}

async function deleteReturningIds(ctx: CommandContext, table: 'applications' | 'documents', profileId: number): Promise<number[]> {
  const rows = await ctx.em.execute<{ id: number }[]>(`delete from ${table} where profile_id = ? returning id`, [profileId]);
  return rows.map(({ id }) => id).sort((left, right) => left - right);
}
