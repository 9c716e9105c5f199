import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import type { ApplicationDependents } from '../applications/index.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';
import { fileCopies, type FileDependents } from '../files/index.ts';
import type { OwnedWithProfile, ProfileDependents } from '../profiles/index.ts';
import { living } from './events/queries.ts';

/** Wakes an event when its fee is paid (EVT-4). Uses events_fee_application_unique. */
export const onFee: ApplicationDependents = {
  async listLiving(db, applicationId) {
    const rows = await db
      .selectFrom('events')
      .select('id')
      .where('feeApplicationId', '=', applicationId)
      .where('status', 'in', living)
      .execute();
    return rows.map(({ id }) => processRef('event', id));
  },
};

/** Refuses to delete an organizer profile with an event in any status (EVT-19). */
export const onProfile: ProfileDependents = {
  async removeWith(ctx, profileId) {
    const events = await ctx.db.selectFrom('events').select('id').where('profileId', '=', profileId).orderBy('id').execute();
    if (events.length > 0) throw new DomainError('profile_in_use', { events: events.map(({ id }) => id) });
    return null;
  },
};

/** Refuses to delete a file that is attached to a stage (EVT-19). */
export const onStageFile: FileDependents = {
  async lock({ db }, fileId) {
    const stages = db.selectFrom('event_stages').select('eventId').where('fileId', '=', fileId);
    await stages.orderBy('eventId').orderBy('stage').forUpdate().execute();
  },

  async listUses({ db }, fileId) {
    const rows = await db.selectFrom('event_stages').select('eventId as id').where('fileId', '=', fileId).orderBy('eventId').execute();
    return rows.map(({ id }) => ({ kind: 'event', id }));
  },
};

/** Refuses to delete the file of an additional document in any status (EVT-19); the organizer deletes the document first. */
export const additionalDocumentFileDependents: FileDependents = {
  async lock({ db }, fileId) {
    await db.selectFrom('additional_documents').select('id').where('fileId', '=', fileId).orderBy('id').forUpdate().execute();
  },

  async listUses({ db }, fileId) {
    const rows = await db.selectFrom('additional_documents').select('id').where('fileId', '=', fileId).orderBy('id').execute();
    return rows.map(({ id }) => ({ kind: 'additional_document', id }));
  },
};

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

/** Events and their additional documents in the log of changes. */
export const eventChanges: readonly ChangedRecord[] = [
  {
    record: 'event',
    select: (db) => db.selectFrom('events as e').select(['e.id', 'e.status', 'e.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/events/${id}`,
  },
  {
    record: 'additional_document',
    select: (db) =>
      db
        .selectFrom('additional_documents as d')
        .innerJoin('events as e', 'e.id', 'd.eventId')
        .select(['d.id', 'd.status', 'e.ownerId', nullColumn.organizer, 'd.eventId as parentId']),
    path: ({ parentId }) => `/events/${parentId}/additional-documents`,
  },
];
