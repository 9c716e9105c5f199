import { z } from 'zod';
import { recordCheck, type RecordCheck } from '../../../http/record-check.ts';
import { idParams, uuid } from '../../../http/schemas.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { ProfileEntity } from '../../profiles/index.ts';
import type { Event } from '../entities.ts';
import { requireEventOwner, requireOwnProfile } from '../policy.ts';
import { checkDates, checkFee, checkProfileKind } from './create-event.ts';
import { findEventRow } from './queries.ts';
import { checkIntakeDates } from './set-registration-settings.ts';
import { settingsBody } from './settings.ts';
import { checkStageFile, lockStageFile } from './update-event.ts';
import { createEventBody, updateEventBody } from './wire.ts';

const { profile_id: profileId, service_id: serviceId, discipline_id: disciplineId, ...dates } = createEventBody.shape;
const { starts_at: startsAt, ends_at: endsAt, reserve_at: reserveAt } = dates;

/** Checks of `createEvent` against records and among the dates. */
export const createChecks: readonly RecordCheck[] = [
  recordCheck({ body: { profile_id: profileId } }, async (ctx, { body }) =>
    checkProfileKind(requireOwnProfile(ctx.actor, await holdUnchanged(ctx.em, ProfileEntity, { id: body.profile_id }))),
  ),
  recordCheck({ body: { service_id: serviceId, discipline_id: disciplineId } }, (ctx, { body }) =>
    checkFee(ctx.db, { serviceId: body.service_id, disciplineId: body.discipline_id }),
  ),
  recordCheck({ body: { starts_at: startsAt, ends_at: endsAt, reserve_at: reserveAt } }, (_ctx, { body }) =>
    checkDates({ startsAt: body.starts_at, endsAt: body.ends_at, reserveAt: body.reserve_at ?? null }),
  ),
];

const changed = updateEventBody.shape;

/** Checks of `updateEvent`; an absent field keeps its stored value. */
export const updateChecks: readonly RecordCheck[] = [
  recordCheck(
    { params: idParams.shape, body: { starts_at: changed.starts_at, ends_at: changed.ends_at, reserve_at: changed.reserve_at } },
    async (ctx, { params, body }) => {
      const event = await findOwn(ctx, params.id);
      const { starts_at: from = event.startsAt, ends_at: to = event.endsAt, reserve_at: reserve = event.reserveAt } = body;
      checkDates({ startsAt: from, endsAt: to, reserveAt: reserve });
    },
  ),
  recordCheck(
    { params: idParams.shape, body: { service_id: changed.service_id, discipline_id: changed.discipline_id } },
    async (ctx, { params, body }) => {
      if (body.service_id === undefined && body.discipline_id === undefined) return;
      const event = await findOwn(ctx, params.id);
      await checkFee(ctx.db, { serviceId: body.service_id ?? event.serviceId, disciplineId: body.discipline_id ?? event.disciplineId });
    },
  ),
  ...(['agreement', 'regulations', 'results'] as const).map((stage) =>
    recordCheck(
      { params: idParams.shape, body: { stage: z.literal(stage), files: z.object({ [stage]: uuid }) } },
      async (ctx, { params, body }) => {
        const event = await findOwn(ctx, params.id);
        checkStageFile(event, stage);
        await lockStageFile(ctx, event, { stage, fileId: String(body.files[stage]) });
      },
    ),
  ),
];

const { opens_at: opensAt, closes_at: closesAt } = settingsBody.shape;

/** Checks of `setRegistrationSettings` against the event. */
export const settingsChecks: readonly RecordCheck[] = [
  recordCheck({ params: idParams.shape, body: { opens_at: opensAt, closes_at: closesAt } }, async (ctx, { params, body }) =>
    checkIntakeDates(await findOwn(ctx, params.id), { opensAt: body.opens_at, closesAt: body.closes_at }),
  ),
];

async function findOwn(ctx: CommandContext, id: number): Promise<Readonly<Event>> {
  return requireEventOwner(ctx.actor, await findEventRow(ctx.db, id));
}
