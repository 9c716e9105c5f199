import { z } from 'zod';
import { access, mayReadOthers } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok } from '../../../http/response/reply.ts';
import { idParams, timelineResponse } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/command.ts';
import { isActingAsAdministrator } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { requireEventOwner, requireEventReader } from '../policy.ts';
import { createEvent } from './create-event.ts';
import { describeEvent, eventProcess } from './process.ts';
import { findEvent, findEventRow, listOwnEvents } from './queries.ts';
import { setRegistrationSettings } from './set-registration-settings.ts';
import { settingsBody, settingsResponse } from './settings.ts';
import { tellTimeline } from './timeline.ts';
import { updateEvent } from './update-event.ts';
import {
  cancelEventBody,
  createEventBody,
  eventResponse,
  presentEvent,
  presentSettings,
  submitStageBody,
  updateEventBody,
  wholeListMeta,
} from './wire.ts';

const tag = 'Competitions';

/** Reads the changed event for the response. */
function show(platform: Platform, id: number) {
  return query(platform, async (db) => {
    const record = await findEvent(db, id);
    if (!record) throw new Error(`event ${id} vanished under its own request`);
    return presentEvent(record);
  });
}

/** Routes of competitions for their organizers. */
export const eventRoutes: Route[] = [
  defineRoute({
    name: 'listEvents',
    method: 'GET',
    path: '/events',
    access: access.scope('events:read'),
    tag,
    summary: 'Own competitions, all of them, newest first',
    response: { data: z.array(eventResponse), meta: wholeListMeta },
    handler: ({ platform, principal }) =>
      query(platform, async (db) => {
        const events = await listOwnEvents(db, principal.user.id);
        return ok(events.map(presentEvent), { total: events.length });
      }),
  }),
  defineRoute({
    name: 'createEvent',
    method: 'POST',
    path: '/events',
    access: access.scope('events:write'),
    tag,
    summary: 'Open a competition as a draft',
    description:
      'Its stages are `agreement`, `details`, `regulations`, `results`; approval of one opens the next. The agreement is a contract: make it with POST /contracts.',
    request: { body: createEventBody },
    response: { status: 201, location: '/events/:id', data: eventResponse },
    links: {
      getEvent: { id: 'id' },
      updateEvent: { id: 'id' },
      submitEventStage: { id: 'id' },
      cancelEvent: { id: 'id' },
      getEventTimeline: { id: 'id' },
      getRegistrationSettings: { id: 'id' },
      setRegistrationSettings: { id: 'id' },
      createContract: {},
      addAdditionalDocument: { id: 'id' },
      listEventRegistrations: { id: 'id' },
      addParticipant: { id: 'id' },
    },
    errors: ['not_found', 'profile_not_approved'],
    handler: async ({ platform, caller, body }) => {
      const input = {
        profileId: body.profile_id,
        serviceId: body.service_id,
        disciplineId: body.discipline_id,
        title: body.title,
        location: body.location,
        startsAt: body.starts_at,
        endsAt: body.ends_at,
        reserveAt: body.reserve_at ?? null,
      };
      const { id } = await commit(platform, caller, (ctx) => createEvent(ctx, input));
      return created(await show(platform, id), `/events/${id}`);
    },
  }),
  defineRoute({
    name: 'getEvent',
    method: 'GET',
    path: '/events/:id',
    access: access.scope('events:read'),
    tag,
    summary: 'A competition with its stages',
    request: { params: idParams },
    response: { data: eventResponse },
    handler: async ({ platform, principal, caller, params }) => {
      const { record, now } = await query(platform, async (db, instant) => ({
        record: await requireEventReader({ principal, caller, db, now: instant }, await findEvent(db, params.id)),
        now: instant,
      }));
      const shown = presentEvent(record);
      if (!mayReadOthers(principal)) return ok(shown);
      const described = await describeProcess(platform, refOf(eventProcess, params.id), describeEvent(record, now), now);
      return ok({ ...shown, process: described });
    },
  }),
  defineRoute({
    name: 'getEventTimeline',
    method: 'GET',
    path: '/events/:id/timeline',
    access: access.scope('events:read'),
    tag,
    summary: 'What happened to a competition, oldest first',
    request: { params: idParams },
    response: { data: timelineResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const record = await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'timeline');
        return ok(await tellTimeline(db, record, now));
      }),
  }),
  defineRoute({
    name: 'updateEvent',
    method: 'PATCH',
    path: '/events/:id',
    access: access.scope('events:write'),
    tag,
    summary: 'Change a competition, or put the file to one of its stages',
    description:
      'After publication the title, the place and the reserve day may change; another change is refused with 409 `event_published`. ' +
      'While the details are under review nothing of them changes. `stage` with `files.<stage>` puts a PDF to an open stage; submit the stage afterwards. ' +
      'In an event of the earlier flow the scan of the agreement (`stage: agreement`) goes under review at once.',
    request: { params: idParams, body: updateEventBody },
    response: { data: eventResponse },
    errors: ['invalid_state', 'stage_not_open', 'event_published'],
    handler: async ({ platform, caller, params, body }) => {
      const { stage, files } = body;
      const fileId = stage === undefined ? undefined : files?.[stage];
      const change = {
        content: {
          title: body.title,
          location: body.location,
          startsAt: body.starts_at,
          endsAt: body.ends_at,
          reserveAt: body.reserve_at,
          disciplineId: body.discipline_id,
          serviceId: body.service_id,
        },
        ...(stage === undefined || fileId === undefined ? {} : { file: { stage, fileId } }),
      };
      await commit(platform, caller, (ctx) => updateEvent(ctx, params.id, change));
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'submitEventStage',
    method: 'POST',
    path: '/events/:id/submit',
    access: access.scope('events:write'),
    tag,
    summary: 'Hand a stage in for review',
    description:
      'The order is judged before the content: 409 `stage_not_open` for a stage whose turn has not come, and for `results` before `ends_at`. ' +
      '`details` makes the fee, an application that is only paid (`application_id`); handed in again they go with the same one. ' +
      '`regulations` and `results` need their PDF (422 at `files.<stage>`), `results` also a participant (422 at `participants`).',
    request: { params: idParams, body: submitStageBody },
    response: { data: eventResponse },
    links: { payApplication: { id: 'application_id' } },
    errors: ['stage_not_open', 'workflow_unavailable'],
    handler: async ({ platform, caller, idempotencyKey, params, body }) => {
      requireEventOwner(caller.actor, await query(platform, (db) => findEventRow(db, params.id)));
      await sendCommand(platform, eventProcess, params.id, 'submit', { caller, idempotencyKey, args: { stage: body.stage } });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'cancelEvent',
    method: 'POST',
    path: '/events/:id/cancel',
    access: access.scope('events:write'),
    tag,
    summary: 'Cancel a competition',
    description:
      'Its organizer may while nothing is published, an administrator always, also when its results are published: they stay to be seen. A fee that was paid is not refunded.',
    request: { params: idParams, body: cancelEventBody },
    response: { data: eventResponse },
    errors: ['invalid_state', 'workflow_unavailable'],
    handler: async ({ platform, caller, idempotencyKey, params, body }) => {
      const event = await query(platform, (db) => findEventRow(db, params.id));
      if (event === null || !isActingAsAdministrator(caller.actor)) requireEventOwner(caller.actor, event);
      const words = { reason: body.reason };
      await sendCommand(platform, eventProcess, params.id, 'cancel', { caller, idempotencyKey, args: {}, words });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'getRegistrationSettings',
    method: 'GET',
    path: '/events/:id/registration-settings',
    access: access.scope('events:read'),
    tag,
    summary: 'What a competition asks of those who register',
    request: { params: idParams },
    response: { data: settingsResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const record = await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'registration_settings');
        return ok(presentSettings(record));
      }),
  }),
  defineRoute({
    name: 'setRegistrationSettings',
    method: 'PUT',
    path: '/events/:id/registration-settings',
    access: access.scope('events:write'),
    tag,
    summary: 'Set the classes, the crew, the vehicle fields, the columns of the export and the dates of the intake',
    request: { params: idParams, body: settingsBody },
    response: { data: settingsResponse },
    errors: ['invalid_state'],
    handler: async ({ platform, caller, params, body }) => {
      const settings = {
        opensAt: body.opens_at,
        closesAt: body.closes_at,
        classes: body.classes,
        crew: body.crew,
        vehicleFields: body.vehicle_fields,
        columns: body.columns,
      };
      return ok(await commit(platform, caller, async (ctx) => presentSettings(await setRegistrationSettings(ctx, params.id, settings))));
    },
  }),
];
