import { z } from 'zod';
import { access, mayReadOthers } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { idParams, listMeta, pagingQuery, timelineResponse } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { isActingAsAdministrator } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { findEventsWithInvalidParticipants } from '../participants/judge-participants.ts';
import { requireEventOwner, requireEventReader } from '../policy.ts';
import { createEvent } from './create-event.ts';
import { eventProcess } from './process.ts';
import { findEvent, findEventRow, listOwnEvents } from './queries.ts';
import { setRegistrationSettings } from './set-registration-settings.ts';
import { readClasses, settingsBody, settingsResponse } from './settings.ts';
import { buildTimeline } from './timeline.ts';
import { updateEvent } from './update-event.ts';
import {
  cancelEventBody,
  createEventBody,
  eventResponse,
  presentEvent,
  presentSettings,
  submitStageBody,
  updateEventBody,
} from './wire.ts';

const tag = 'Competitions';

function show(platform: Platform, id: number) {
  return query(platform, async (db) => {
    const record = await findEvent(db, id);
    if (!record) throw new Error(`event ${id} was not found after its own command`);
    return presentEvent(record);
  });
}

export const eventRoutes: Route[] = [
  defineRoute({
    name: 'listEvents',
    method: 'GET',
    path: '/events',
    access: access.scope('events:read'),
    tag,
    summary: 'List own competitions, newest first',
    request: { query: pagingQuery },
    response: { data: z.array(eventResponse), meta: listMeta },
    handler: ({ platform, principal, query: paging }) =>
      query(platform, async (db) => {
        const { records, total } = await listOwnEvents(db, principal.user.id, paging);
        return page(records.map(presentEvent), total, paging);
      }),
  }),
  defineRoute({
    name: 'createEvent',
    method: 'POST',
    path: '/events',
    access: access.scope('events:write'),
    tag,
    summary: 'Create a draft competition',
    description:
      'Its stages are `agreement`, `details`, `regulations` and `results`. Approval of a stage opens the next. The agreement is a contract: create it with POST /contracts.',
    request: {
      body: createEventBody,
      example: {
        profile_id: 8,
        service_id: 30,
        discipline_id: 1,
        title: 'Ралли «Алатау», 2-й этап чемпионата Казахстана',
        location: 'Алматы, Казахстан',
        starts_at: '2027-06-12T09:00:00+05:00',
        ends_at: '2027-06-13T18:00:00+05:00',
      },
    },
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
    summary: 'Get a competition with its stages',
    request: { params: idParams },
    response: { data: eventResponse },
    handler: async ({ platform, principal, caller, params }) => {
      const { record, now } = await query(platform, async (db, instant) => ({
        record: await requireEventReader({ principal, caller, db, now: instant }, await findEvent(db, params.id)),
        now: instant,
      }));
      const shown = presentEvent(record);
      if (!mayReadOthers(principal)) return ok(shown);
      const invalid = await query(platform, (db) => findEventsWithInvalidParticipants(db, now, [record.id]));
      const flags = invalid.has(record.id) ? (['participants_not_valid'] as const) : [];
      const stages = { ...shown.stages, results: { ...shown.stages.results, flags: [...flags] } };
      const described = await describeProcess(platform, eventProcess, record, now);
      return ok({ ...shown, stages, process: described });
    },
  }),
  defineRoute({
    name: 'getEventTimeline',
    method: 'GET',
    path: '/events/:id/timeline',
    access: access.scope('events:read'),
    tag,
    summary: 'List the steps of a competition, oldest first',
    request: { params: idParams },
    response: { data: timelineResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const record = await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'timeline');
        return ok(await buildTimeline(db, record, now));
      }),
  }),
  defineRoute({
    name: 'updateEvent',
    method: 'PATCH',
    path: '/events/:id',
    access: access.scope('events:write'),
    tag,
    summary: 'Change a competition, or attach a file to a stage',
    description:
      'After publication only the title, the location and the reserve day may change: 409 `event_published`. ' +
      'While the details are under review no field may change: 409 `invalid_state`. `stage` with `files.<stage>` attaches a PDF to an open stage; submit the stage afterwards. ' +
      'In the earlier flow the scan of the agreement (`stage: agreement`) is submitted at once.',
    request: {
      params: idParams,
      body: updateEventBody,
      example: { location: 'Семей, Казахстан', starts_at: '2027-06-19T09:00:00+05:00', ends_at: '2027-06-20T18:00:00+05:00' },
    },
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
    summary: 'Submit a stage for review',
    description:
      'The order is checked before the content: a stage that is not open yet, and `results` before `ends_at`, answer 409 `stage_not_open`. ' +
      'The first submission of `details` creates the fee application (`application_id`), which only needs payment; later submissions keep it. ' +
      '`regulations` and `results` need a PDF (422 at `files.<stage>`). `results` also need a participant (422 at `participants`).',
    request: { params: idParams, body: submitStageBody, example: { stage: 'details' } },
    response: { data: eventResponse },
    links: { payApplication: { id: 'application_id' } },
    errors: ['stage_not_open', 'workflow_unavailable'],
    handler: async ({ platform, caller, params, body }) => {
      requireEventOwner(caller.actor, await query(platform, (db) => findEventRow(db, params.id)));
      await sendCommand(platform, eventProcess, params.id, 'submit', { caller, args: { stage: body.stage } });
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
      'The organizer may cancel before publication, an administrator at any time. Published results stay public. A paid fee is not refunded.',
    request: { params: idParams, body: cancelEventBody, example: { reason: 'Трасса закрыта из-за паводка.' } },
    response: { data: eventResponse },
    errors: ['invalid_state', 'workflow_unavailable'],
    handler: async ({ platform, caller, params, body }) => {
      const event = await query(platform, (db) => findEventRow(db, params.id));
      if (event === null || !isActingAsAdministrator(caller.actor)) requireEventOwner(caller.actor, event);
      const privateInput = { reason: body.reason };
      await sendCommand(platform, eventProcess, params.id, 'cancel', { caller, args: {}, privateInput });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'getRegistrationSettings',
    method: 'GET',
    path: '/events/:id/registration-settings',
    access: access.scope('events:read'),
    tag,
    summary: 'Get the registration settings of a competition',
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
    summary: 'Set the registration settings of a competition',
    description:
      'Replaces all settings: classes with their places, crew, vehicle fields, columns of the export, and dates of the intake. A raised capacity offers the new places to those who wait; a lowered one takes no place away.',
    request: {
      params: idParams,
      body: settingsBody,
      example: {
        opens_at: '2027-04-01T09:00:00+05:00',
        closes_at: '2027-06-01',
        classes: ['Абсолют', { name: 'N2', capacity: 30, waiting_list: true }],
        crew: { roles: ['Штурман'], min: 1, max: 1 },
        vehicle_fields: [
          { code: 'brand', title: 'Марка и модель', required: true },
          { code: 'plate', title: 'Госномер', required: true },
        ],
        columns: ['start_number', 'name', 'class', 'vehicle.brand'],
      },
    },
    response: { data: settingsResponse },
    errors: ['invalid_state'],
    handler: async ({ platform, caller, params, body }) => {
      const settings = {
        opensAt: body.opens_at,
        closesAt: body.closes_at,
        ...readClasses(body.classes),
        crew: body.crew,
        vehicleFields: body.vehicle_fields,
        columns: body.columns,
      };
      return ok(await commit(platform, caller, async (ctx) => presentSettings(await setRegistrationSettings(ctx, params.id, settings))));
    },
  }),
];
