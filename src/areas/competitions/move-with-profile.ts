import type { CommandContext } from '../../platform/context.ts';
import { inList } from '../../platform/database/database.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import { fileCopies } from '../files/index.ts';
import type { OwnedWithProfile } from '../profiles/index.ts';
import { living } from './events/queries.ts';

/** Moves an organizer's competitions and their files with the profile. Registrations stay with their athletes. */
export const eventsOfProfile: OwnedWithProfile = {
  counted: { events: (db, profileId) => db.selectFrom('events').select('id').where('profileId', '=', profileId) },

  files: {
    ofProfiles: (db, profileIds) =>
      db
        .selectFrom('event_stages as s')
        .innerJoin('events as e', 'e.id', 's.eventId')
        .select('s.fileId')
        .where('e.profileId', '=', inList(profileIds))
        .unionAll((eb) =>
          eb
            .selectFrom('additional_documents as d')
            .innerJoin('events as e', 'e.id', 'd.eventId')
            .select('d.fileId')
            .where('e.profileId', '=', inList(profileIds)),
        ),

    async exchange(ctx, profileId, copies) {
      await ctx.db
        .updateTable('event_stages')
        .from(fileCopies(copies))
        .set((eb) => ({ fileId: eb.ref('c.copyId') }))
        .whereRef('fileId', '=', 'c.id')
        .where('eventId', 'in', eventsOf(ctx, profileId))
        .execute();
      await ctx.db
        .updateTable('additional_documents')
        .from(fileCopies(copies))
        .set((eb) => ({ fileId: eb.ref('c.copyId'), updatedAt: ctx.now }))
        .whereRef('fileId', '=', 'c.id')
        .where('eventId', 'in', eventsOf(ctx, profileId))
        .execute();
    },
  },

  async lock(ctx, profileId) {
    await eventsOf(ctx, profileId).orderBy('id').forUpdate().execute();
    const events = eventsOf(ctx, profileId);
    const stages = ctx.db.selectFrom('event_stages').select(['eventId', 'stage']).where('eventId', 'in', events);
    await stages.orderBy('eventId').orderBy('stage').forUpdate().execute();
    const documents = ctx.db.selectFrom('additional_documents').select('id').where('eventId', 'in', events);
    await documents.orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId, toUserId }) {
    await ctx.db.updateTable('events').set({ ownerId: toUserId, updatedAt: ctx.now }).where('profileId', '=', profileId).execute();
    await wakeAll(ctx, 'event', eventsOf(ctx, profileId).where('status', 'in', living));
  },
};

/** Uses events_profile_index. */
function eventsOf({ db }: CommandContext, profileId: number) {
  return db.selectFrom('events').select('id').where('profileId', '=', profileId);
}
