import { baseUrl } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { deleted, idParams, listMeta, pagingQuery } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { parseCertificateReference } from '../../verification/index.ts';
import type { Event, Participant } from '../entities.ts';
import { findEvent, findEventRow } from '../events/queries.ts';
import { requireEventReader } from '../policy.ts';
import { addParticipant } from './add-participant.ts';
import { judgeParticipants } from './judge-participants.ts';
import { findParticipant, listParticipants } from './queries.ts';
import { removeParticipant } from './remove-participant.ts';
import { updateParticipant } from './update-participant.ts';
import { newParticipantBody, participantChangesBody, participantParams, participantResponse, presentParticipant } from './wire.ts';

const tag = 'Competitions';
const openFrom =
  'The list is open from the publication until the submission of `results`, and again after their return: else 409 `participants_closed`.';

/** @throws {DomainError} not_found, when it was removed meanwhile */
function show(platform: Platform, eventId: number, applicationId: number) {
  return query(platform, async (db, now) => {
    const [event, participant] = [await findEventRow(db, eventId), await findParticipant(db, { eventId, applicationId })];
    if (event === null || participant === null) throw new DomainError('not_found');
    const [shown] = await presentParticipants(db, now, event, [participant]);
    if (shown === undefined) throw new Error('one participant must have one presentation');
    return shown;
  });
}

async function presentParticipants(db: Database, now: Date, event: Readonly<Event>, rows: readonly Readonly<Participant>[]) {
  const judged = await judgeParticipants(
    db,
    now,
    rows.map(({ applicationId, profileId }) => ({ applicationId, profileId, event })),
  );
  const byCertificate = new Map(judged.map((eligibility) => [eligibility.applicationId, eligibility]));
  return rows.flatMap((row) => {
    const eligibility = byCertificate.get(row.applicationId);
    return eligibility === undefined ? [] : [presentParticipant(row, eligibility)];
  });
}

/** Participants of an event, identified by their certificates. */
export const participantRoutes: Route[] = [
  defineRoute({
    name: 'addParticipant',
    method: 'POST',
    path: '/events/:id/participants',
    access: access.scope('events:write'),
    tag,
    summary: 'Add a participant by certificate',
    description:
      'Name and number are copied from the certificate. A link to another host is 422, an unknown certificate 404, another discipline than that of the event 409 `licence_not_fitting`. The certificate must be valid on every day of the competition; a past day is judged by the facts of that day. Otherwise: 409 `certificate_not_valid` with the first invalid `day` and its `state`, as in `GET /verify/{token}?on=`. ' +
      openFrom,
    request: {
      params: idParams,
      body: newParticipantBody,
      example: { certificate: 'KZ-N-2026-000001', category: 'N2', start_number: '17' },
    },
    response: { status: 201, location: '/events/:id/participants', data: participantResponse },
    links: {
      listParticipants: { id: 'event_id' },
      updateParticipant: { id: 'event_id', application_id: 'application_id' },
      removeParticipant: { id: 'event_id', application_id: 'application_id' },
    },
    errors: ['participants_closed', 'licence_not_fitting', 'certificate_not_valid', 'duplicate_participant'],
    handler: async ({ platform, caller, params, body }) => {
      const reference = parseCertificateReference(body.certificate, baseUrl(platform.config));
      const fields = {
        category: body.category ?? null,
        startNumber: body.start_number ?? null,
        resultStatus: body.result_status ?? ('registered' as const),
        place: body.place ?? null,
        result: body.result ?? null,
      };
      const applicationId = await commit(
        platform,
        caller,
        async (ctx) => (await addParticipant(ctx, params.id, reference, fields)).applicationId,
      );
      return created(await show(platform, params.id, applicationId), `/events/${params.id}/participants`);
    },
  }),
  defineRoute({
    name: 'listParticipants',
    method: 'GET',
    path: '/events/:id/participants',
    access: access.scope('events:read'),
    tag,
    summary: 'List the participants of an event by place',
    description:
      'Participants without a place come last, by category and start number. `eligibility` judges every day of the event at this read and refuses nothing.',
    request: { params: idParams, query: pagingQuery },
    response: { data: participantResponse.array(), meta: listMeta },
    handler: ({ platform, principal, caller, params, query: paging }) =>
      query(platform, async (db, now) => {
        const { event } = await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'participants');
        const { rows, total } = await listParticipants(db, { eventId: params.id, ...paging });
        return page(await presentParticipants(db, now, event, rows), total, paging);
      }),
  }),
  defineRoute({
    name: 'updateParticipant',
    method: 'PATCH',
    path: '/events/:id/participants/:application_id',
    access: access.scope('events:write'),
    tag,
    summary: 'Change the category, start number or result of a participant',
    description: `An absent field does not change; null clears a field. ${openFrom}`,
    request: {
      params: participantParams,
      body: participantChangesBody,
      example: { result_status: 'finished', place: 1, result: '1:02:33.4' },
    },
    response: { data: participantResponse },
    errors: ['participants_closed'],
    handler: async ({ platform, caller, params: { id: eventId, application_id: applicationId }, body }) => {
      const changes = {
        category: body.category,
        startNumber: body.start_number,
        resultStatus: body.result_status,
        place: body.place,
        result: body.result,
      };
      await commit(platform, caller, (ctx) => updateParticipant(ctx, { eventId, applicationId }, changes));
      return ok(await show(platform, eventId, applicationId));
    },
  }),
  defineRoute({
    name: 'removeParticipant',
    method: 'DELETE',
    path: '/events/:id/participants/:application_id',
    access: access.scope('events:write'),
    tag,
    summary: 'Remove a participant',
    description: openFrom,
    request: { params: participantParams },
    response: { data: deleted },
    errors: ['participants_closed'],
    handler: async ({ platform, caller, params }) => {
      await commit(platform, caller, (ctx) => removeParticipant(ctx, { eventId: params.id, applicationId: params.application_id }));
      return ok({ deleted: true as const });
    },
  }),
];
