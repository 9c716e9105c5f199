import { DomainError } from '../../errors.ts';
import { processRef } from '../../platform/process-ref.ts';
import type { ApplicationDependents } from '../applications/index.ts';
import type { FileDependents } from '../files/index.ts';
import type { ProfileDependents } from '../profiles/index.ts';
import { living } from './events/queries.ts';

/** An event looks again when its fee is settled. Uses events_fee_application_unique. */
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

/** An organizer's profile is kept as long as there is an event of it, in whatever state. */
export const onProfile: ProfileDependents = {
  async removeWith(ctx, profileId) {
    const events = await ctx.db.selectFrom('events').select('id').where('profileId', '=', profileId).orderBy('id').execute();
    if (events.length > 0) throw new DomainError('profile_in_use', { events: events.map(({ id }) => id) });
    return null;
  },
};

/** A file that was put to a stage is kept. */
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
