import { sql } from 'kysely';
import type { CommandContext } from '../../../platform/context.ts';
import { inList } from '../../../platform/database/database.ts';
import { wakeAll } from '../../../platform/workflows/outbox.ts';
import type { OwnedWithProfile } from '../../profiles/index.ts';
import { lockApplication, markChanged } from '../lock-application.ts';
import { living } from '../queries.ts';
import { recordStep } from '../record-step.ts';

/**
 * Applications go with their profile, fees of its competitions among them: who owns one pays it, is told of it and reads its certificate.
 * What was paid stays paid, from the wallet that paid it, and a certificate as it was issued.
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
    // The photo that was printed. A certificate names it for good, or the one that it was copied from: by its bytes both are found.
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
    // What one waits for hangs on the wallet of its owner.
    await wakeAll(
      ctx,
      'application',
      db.selectFrom('applications').select('id').where('profileId', '=', profileId).where('status', 'in', living),
    );
  },
};

/** The consent to show a licence's documents was the old owner's own word; there is one licence for a discipline and year, so they are few. */
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
