import { baseUrl } from '../../../config.ts';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { deleted, idParams, listMeta, pagingQuery } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/command.ts';
import { parseCertificateReference } from '../../verification/index.ts';
import { findEvent } from '../events/queries.ts';
import { requireEventReader } from '../policy.ts';
import { addParticipant } from './add-participant.ts';
import { findParticipant, listParticipants } from './queries.ts';
import { removeParticipant } from './remove-participant.ts';
import { updateParticipant } from './update-participant.ts';
import { newParticipantBody, participantChangesBody, participantParams, participantResponse, presentParticipant } from './wire.ts';

const tag = 'Competitions';
const openFrom =
  'The list is open from the publication until the submission of `results`, and again after their return: else 409 `participants_closed`.';

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
    request: { params: idParams, body: newParticipantBody },
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
      const shown = await commit(platform, caller, async (ctx) =>
        presentParticipant(await addParticipant(ctx, params.id, reference, fields)),
      );
      return created(shown, `/events/${params.id}/participants`);
    },
  }),
  defineRoute({
    name: 'listParticipants',
    method: 'GET',
    path: '/events/:id/participants',
    access: access.scope('events:read'),
    tag,
    summary: 'List the participants of an event by place',
    description: 'Participants without a place come last, by category and start number.',
    request: { params: idParams, query: pagingQuery },
    response: { data: participantResponse.array(), meta: listMeta },
    handler: ({ platform, principal, caller, params, query: paging }) =>
      query(platform, async (db, now) => {
        await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'participants');
        const { rows, total } = await listParticipants(db, { eventId: params.id, ...paging });
        return page(rows.map(presentParticipant), total, paging);
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
    request: { params: participantParams, body: participantChangesBody },
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
      const participant = await query(platform, (db) => findParticipant(db, { eventId, applicationId }));
      if (!participant) throw new DomainError('not_found');
      return ok(presentParticipant(participant));
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
