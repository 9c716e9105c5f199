import { audit } from '../administration/audit.ts';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { flagDuplicateIins } from './flag-duplicate-iins.ts';
import { lockOwnProfile } from './lock-profile.ts';

/**
 * Deletes a profile of which neither the data nor the photo was ever approved and that has no applications, with its documents
 * (service.md "Profile"). Decisions and the journal stay; the files stay the owner's, unused.
 * @throws {DomainError} not_found; profile_was_approved; profile_in_use with `applications`
 */
export async function deleteProfile(ctx: CommandContext, profileId: number): Promise<void> {
  const profile = await lockOwnProfile(ctx, profileId);
  if (profile.everApproved) throw new DomainError('profile_was_approved');
  const applications = await ctx.em.execute<{ id: number }[]>(
    `select id from applications where profile_id = ?
     union
     select ad.application_id from application_documents ad join documents d on d.id = ad.document_id where d.profile_id = ?
     order by 1`,
    [profileId, profileId],
  );
  if (applications.length > 0) throw new DomainError('profile_in_use', { applications: applications.map(({ id }) => id) });

  const documents = await ctx.em.execute<{ id: number }[]>('delete from documents where profile_id = ? returning id', [profileId]);
  ctx.em.remove(profile);
  await ctx.em.flush();
  await flagDuplicateIins(ctx, [profile.iin]);
  audit(ctx, 'profile.deleted', { kind: 'profile', id: profileId }, { kind: profile.kind, documents: documents.map(({ id }) => id) });
  ctx.touch(processRef('profile', profileId));
  for (const { id } of documents) ctx.touch(processRef('document', id));
}
