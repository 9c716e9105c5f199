import { sql } from 'kysely';
import type { CommandContext } from '../../../platform/context.ts';
import { inList } from '../../../platform/database/database.ts';
import { wakeAll } from '../../../platform/workflows/outbox.ts';
import type { OwnedWithProfile } from '../../profiles/index.ts';
import { lockApplication } from '../lock-application.ts';
import { living } from '../queries.ts';
import { recordStep, markChanged } from '../record-step.ts';

/**
 * Moves applications, including event fees, with their profile (OWN-1). The new owner pays, is notified and reads the certificates.
 *
 * Payments and issued certificates stay unchanged (OWN-2).
 */
export const applicationsOfProfile: OwnedWithProfile = {
  counted: {
    applications: (db, profileId) => db.selectFrom('applications').select('id').where('profileId', '=', profileId),
    certificates: (db, profileId) =>
      db
        .selectFrom('certificates as c')
        .innerJoin('applications as a', 'a.id', 'c.applicationId')
        .select('a.id')
        .where('a.profileId', '=', profileId),
  },

  files: {
    // The printed photo. The certificate may name the original of a copy, so the join compares storage keys.
    ofProfiles: (db, profileIds) =>
      db
        .selectFrom('certificates as c')
        .innerJoin('applications as a', 'a.id', 'c.applicationId')
        .innerJoin('files as printed', (join) => join.on('printed.id', '=', sql<string>`(${sql.ref('c.snapshot')}->>'photoFileId')::uuid`))
        .innerJoin('files as f', (join) => join.onRef('f.storageKey', '=', 'printed.storageKey').onRef('f.ownerId', '=', 'a.ownerId'))
        .select('f.id as fileId')
        .where('a.profileId', '=', inList(profileIds)),
  },

  async lock({ db }, profileId) {
    await db.selectFrom('applications').select('id').where('profileId', '=', profileId).orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId, toUserId }) {
    const { db, now } = ctx;
    await db.updateTable('applications').set({ ownerId: toUserId, updatedAt: now }).where('profileId', '=', profileId).execute();
    await closeSharing(ctx, profileId);
    // The owner's wallet decides which party an application waits for.
    await wakeAll(
      ctx,
      'application',
      db.selectFrom('applications').select('id').where('profileId', '=', profileId).where('status', 'in', living),
    );
  },
};

/** Ends the old owner's consent to share documents (OWN-4). A profile has few licences, so a loop suffices. */
async function closeSharing(ctx: CommandContext, profileId: number): Promise<void> {
  const shared = await ctx.db
    .selectFrom('applications')
    .select('id')
    .where('profileId', '=', profileId)
    .where('sharingEnabled', '=', true)
    .orderBy('id')
    .execute();
  for (const { id } of shared) {
    const locked = await lockApplication(ctx, id);
    locked.application.sharingEnabled = false;
    locked.application.sharingConfirmedAt = null;
    markChanged(ctx, locked.application);
    await recordStep(ctx, locked, 'sharing_disabled');
  }
  await ctx.em.flush();
}
