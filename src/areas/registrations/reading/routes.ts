import contentDisposition from 'content-disposition';
import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access, mayReadOthers } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { chooseLanguage } from '../../../http/language.ts';
import { body as bodyReply, ok, page } from '../../../http/response/reply.ts';
import { safeFileName } from '../../../http/response/send-file.ts';
import { idParams, listMeta, timelineResponse } from '../../../http/schemas.ts';
import { query } from '../../../platform/commands/command.ts';
import { dayOf } from '../../../platform/time/date-time.ts';
import { xlsxMime } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { countAttempt, exportsOf } from '../../accounts/index.ts';
import { findEvent, intakeOf, requireEventReader } from '../../competitions/index.ts';
import { requireRegistrationReader } from '../policy.ts';
import { presentRegistrations, registrationResponse } from '../wire.ts';
import { registrationProcess } from '../process.ts';
import { findRegistration, judgedEventOf } from '../queries.ts';
import { exportRegistrations } from './export-registrations.ts';
import { listEventRegistrations, listOwnRegistrations } from './listing-queries.ts';
import { findCandidates, presentOptions } from './options.ts';
import { buildTimeline } from './timeline.ts';
import { eventListQuery, exportQuery, optionsResponse, ownListQuery, registrationDetailResponse } from './wire.ts';

const tag = 'Competitions';

export const registrationReadingRoutes: Route[] = [
  defineRoute({
    name: 'getRegistrationOptions',
    method: 'GET',
    path: '/events/:id/registration-options',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get the choices for a registration, with the eligibility of own athletes',
    description: 'A published event is open to every account. 404 unless the event is published.',
    request: { params: idParams },
    response: { data: optionsResponse },
    handler: ({ platform, principal, params }) =>
      query(platform, async (db, now) => {
        const record = await findEvent(db, params.id);
        if (record === null || intakeOf(record.event, record.settings, now) === 'unpublished') throw new DomainError('not_found');
        return ok(await presentOptions(db, record, await findCandidates(db, principal.user.id, judgedEventOf(record)), now));
      }),
  }),
  defineRoute({
    name: 'listRegistrations',
    method: 'GET',
    path: '/event-registrations',
    access: access.scope('applications:read'),
    tag,
    summary: 'List own registrations, newest first',
    request: { query: ownListQuery },
    response: { data: z.array(registrationResponse), meta: listMeta },
    handler: ({ platform, principal, query: { event_id: eventId, ...filter } }) =>
      query(platform, async (db, now) => {
        const { records, total } = await listOwnRegistrations(db, { ...filter, ownerId: principal.user.id, eventId });
        return page(await presentRegistrations(db, now, records, 'athlete'), total, filter);
      }),
  }),
  defineRoute({
    name: 'getRegistration',
    method: 'GET',
    path: '/event-registrations/:id',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get a registration with its documents and its history',
    description: 'For the athlete. The organizer reads it with GET /events/{id}/registrations.',
    request: { params: idParams },
    response: { data: registrationDetailResponse },
    handler: async ({ platform, principal, caller, params }) => {
      const { record, shown, now } = await query(platform, async (db, instant) => {
        const found = await requireRegistrationReader({ principal, caller, db, now: instant }, await findRegistration(db, params.id));
        const [presented] = await presentRegistrations(db, instant, [found], 'athlete');
        if (presented === undefined) throw new Error('one registration must have one presentation');
        return { record: found, shown: presented, now: instant };
      });
      if (!mayReadOthers(principal)) return ok(shown);
      const described = await describeProcess(platform, registrationProcess, record, now);
      return ok({ ...shown, process: described });
    },
  }),
  defineRoute({
    name: 'getRegistrationTimeline',
    method: 'GET',
    path: '/event-registrations/:id/timeline',
    access: access.scope('applications:read'),
    tag,
    summary: 'List the steps of a registration, oldest first',
    request: { params: idParams },
    response: { data: timelineResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const reading = { principal, caller, db, now };
        return ok(buildTimeline(await requireRegistrationReader(reading, await findRegistration(db, params.id), 'timeline'), now));
      }),
  }),
  defineRoute({
    name: 'listEventRegistrations',
    method: 'GET',
    path: '/events/:id/registrations',
    access: access.scope('events:read'),
    tag,
    summary: 'List the registrations of an event for its organizer, newest first',
    description: 'Without registrations that were never submitted. `documents` has only those of another federation, without their files.',
    request: { params: idParams, query: eventListQuery },
    response: { data: z.array(registrationResponse), meta: listMeta },
    handler: ({ platform, principal, caller, params, query: filter }) =>
      query(platform, async (db, now) => {
        const { id: eventId } = await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'registrations');
        const { records, total } = await listEventRegistrations(db, { ...filter, eventId });
        return page(await presentRegistrations(db, now, records, 'organizer'), total, filter);
      }),
  }),
  defineRoute({
    name: 'exportEventRegistrations',
    method: 'GET',
    path: '/events/:id/registrations/export',
    access: access.scope('events:read'),
    auditsReads: true,
    tag,
    summary: 'Export the approved registrations of an event as an XLSX',
    description:
      'One sheet for each class, with the `columns` of the registration settings in their order. Dates are date cells; a text is never a formula. ' +
      'Exports of an account are limited by the hour: 429 `rate_limited`. An interrupted download is not a complete file.',
    request: { params: idParams, query: exportQuery },
    response: { content: [xlsxMime] },
    errors: ['rate_limited'],
    handler: async ({ platform, principal, caller, params, query: { lang }, header }) => {
      const { event, content } = await query(platform, async (db, now) => {
        const reading = { principal, caller, db, now };
        const record = await requireEventReader(reading, await findEvent(db, params.id), 'registrations/export');
        await countAttempt(platform, exportsOf(platform.config, principal.user.id));
        const language = chooseLanguage(lang, header('accept-language'));
        return { event: record.event, content: await exportRegistrations(reading, record, language) };
      });
      const name = safeFileName(`${event.title} ${dayOf(event.startsAt)}`, xlsxMime);
      return bodyReply(content, {
        'Content-Type': xlsxMime,
        'Content-Disposition': contentDisposition(name, { type: 'attachment' }),
        // Names, birthdays and phones must not stay in caches.
        'Cache-Control': 'no-store',
      });
    },
  }),
];
