import type { CommandContext } from '../../platform/context.ts';
import { inList } from '../../platform/database/database.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import type { OwnedWithProfile } from '../profiles/index.ts';
import { waiting } from './dependents.ts';

/** Transfers all agreements of an organizer's events with the profile (OWN-1); their content stays (OWN-2). */
export const contractsOfProfile: OwnedWithProfile = {
  counted: {
    contracts: (db, profileId) =>
      db.selectFrom('contracts as c').innerJoin('events as e', 'e.id', 'c.eventId').select('c.id').where('e.profileId', '=', profileId),
  },

  files: {
    // The latest scan by its storage key, which a copy shares, so the agreement needs no change.
    ofProfiles: (db, profileIds) =>
      db
        .selectFrom('contracts as c')
        .innerJoin('events as e', 'e.id', 'c.eventId')
        .innerJoin('files as f', (join) => join.onRef('f.ownerId', '=', 'c.ownerId').onRef('f.storageKey', '=', 'c.scanStorageKey'))
        .select('f.id as fileId')
        .where('e.profileId', '=', inList(profileIds)),
  },

  async lock(ctx, profileId) {
    await contractsOf(ctx, profileId).orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId, toUserId }) {
    const events = eventsOf(ctx, profileId);
    await ctx.db.updateTable('contracts').set({ ownerId: toUserId, updatedAt: ctx.now }).where('eventId', 'in', events).execute();
    await wakeAll(ctx, 'agreement', contractsOf(ctx, profileId).where('status', 'in', waiting));
  },
};

/** Uses contracts_event_index. */
function contractsOf(ctx: CommandContext, profileId: number) {
  return ctx.db.selectFrom('contracts').select('id').where('eventId', 'in', eventsOf(ctx, profileId));
}

/** Uses events_profile_index. */
function eventsOf({ db }: CommandContext, profileId: number) {
  return db.selectFrom('events').select('id').where('profileId', '=', profileId);
}
