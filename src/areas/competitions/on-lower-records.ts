import { DomainError } from '../../errors.ts';
import { processRef } from '../../platform/process-ref.ts';
import type { ApplicationDependents } from '../applications/index.ts';
import type { FileDependents } from '../files/index.ts';
import type { ProfileDependents } from '../profiles/index.ts';
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
