import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok } from '../../http/response/reply.ts';
import { idParams } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Caller } from '../../platform/commands/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { parseRow } from './check-row.ts';
import { requireAthlete, requireOrganizer } from './policy.ts';
import {
  presentRegistrations,
  type RegistrationViewer,
  batchBody,
  batchResponse,
  decisionBody,
  eventRegistrationParams,
  registerBody,
  registrationResponse,
} from './wire.ts';
import { registrationProcess } from './process.ts';
import { findRegistration, findRegistrations } from './queries.ts';
import { saveRegistrations } from './save-registrations.ts';
import { setStartNumber } from './set-start-number.ts';

const tag = 'Competitions';

function show(platform: Platform, id: number, viewer: RegistrationViewer) {
  return query(platform, async (db, now) => {
    const [shown] = await presentRegistrations(db, now, await findRegistrations(db, [id]), viewer);
    if (shown === undefined) throw new Error(`registration ${id} was not found after its own command`);
    return shown;
  });
}

// Both check before the command is sent: a repeated key answers the current record, and a former owner must not read it.

/** @throws {DomainError} not_found, also for another account's registration (API-3) */
async function requireOwn(platform: Platform, { actor }: Caller, id: number): Promise<void> {
  const record = await query(platform, (db) => findRegistration(db, id));
  requireAthlete(actor, record?.registration ?? null);
}

/** @throws {DomainError} not_found, also for another event's registration and another account's event (API-3) */
async function requireOwnEvent(platform: Platform, { actor }: Caller, eventId: number, id: number): Promise<void> {
  const record = await query(platform, (db) => findRegistration(db, id));
  if (record?.registration.eventId !== eventId) throw new DomainError('not_found');
  requireOrganizer(actor, record);
}

export const registrationRoutes: Route[] = [
  defineRoute({
    name: 'registerBatch',
    method: 'POST',
    path: '/events/:id/registrations/batch',
    access: access.scope('applications:write'),
    tag,
    summary: 'Save or submit up to 100 registrations, each separately',
    description:
      'Answers 200 with the outcome of each row; a refused row does not affect the others. Refusals of a row: `validation_failed` with all its problems, ' +
      '`not_found` with `details.field`, `intake_closed`, `class_full`, `invalid_state`, `not_eligible` with `details.reasons`, and `duplicate_registration` with ' +
      '`details.registration_id`, also for a row that is sent twice. A row for a full class with a waiting list is saved as `waiting`. 404 unless the event is published.',
    request: {
      params: idParams,
      body: batchBody,
      example: {
        registrations: [
          {
            profile_id: 7,
            application_ids: [12],
            class: 'N2',
            vehicle: { brand: 'Toyota GR Yaris', plate: '777ABC02' },
            crew: [{ role: 'Штурман', registration_id: 31 }],
          },
        ],
        submit: true,
      },
    },
    response: { data: batchResponse },
    handler: async ({ platform, caller, params, body }) => {
      const rows = body.registrations.map((row, index) => parseRow(`body.registrations.${index}`, row));
      const results = await commit(platform, caller, async (ctx) => {
        const outcomes = await saveRegistrations(ctx, { eventId: params.id, rows, isSubmitted: body.submit, asksForDetails: true });
        return outcomes.map((outcome, index) => {
          if ('id' in outcome) return { index, ok: true, id: outcome.id };
          const { code, message, details } = outcome.refusal;
          return { index, ok: false, error: { code, message, ...(details === undefined ? {} : { details }) } };
        });
      });
      return ok({ results });
    },
  }),
  defineRoute({
    name: 'registerForEvent',
    method: 'POST',
    path: '/events/:id/register',
    access: access.scope('applications:write'),
    tag,
    summary: 'Register one athlete (earlier flow)',
    description: 'Submits the registration at once, without vehicle and crew. It costs nothing.',
    request: { params: idParams, body: registerBody, example: { profile_id: 7, application_id: 12, class: 'N2' } },
    response: { status: 201, location: '/event-registrations/:id', data: registrationResponse },
    links: { getRegistration: { id: 'id' }, getRegistrationTimeline: { id: 'id' }, withdrawRegistration: { id: 'id' } },
    errors: ['intake_closed', 'class_full', 'duplicate_registration', 'not_eligible'],
    handler: async ({ platform, caller, params, body }) => {
      const rows = [parseRow('body', body)];
      const { id } = await commit(platform, caller, async (ctx) => {
        const [outcome] = await saveRegistrations(ctx, { eventId: params.id, rows, isSubmitted: true, asksForDetails: false });
        if (outcome === undefined) throw new Error('one row must have one outcome');
        if ('refusal' in outcome) throw outcome.refusal;
        return outcome;
      });
      return created(await show(platform, id, 'athlete'), `/event-registrations/${id}`);
    },
  }),
  defineRoute({
    name: 'decideRegistration',
    method: 'PATCH',
    path: '/events/:id/registrations/:registration_id',
    access: access.scope('events:write'),
    tag,
    summary:
      'Approve, return or reject a submitted registration, offer a place to a waiting one, or set the start number of an approved one',
    description:
      'For the organizer of the event. Only a submitted registration can be decided, and only an approved one gets a `start_number` without a decision: 409 `invalid_state`. ' +
      'Approval of a registration that is not eligible today and on every day of the event still to come answers 409 `not_eligible` with `details.reasons`; one whose crew no longer holds answers 409 `crew_not_valid` with `details.fields`. ' +
      'An offer needs a free place of the class (409 `class_full`), also after the intake has closed, until the start of the event.',
    request: { params: eventRegistrationParams, body: decisionBody, example: { decision: 'approve', start_number: '17' } },
    response: { data: registrationResponse },
    errors: ['invalid_state', 'class_full', 'not_eligible', 'crew_not_valid', 'start_number_taken', 'workflow_unavailable'],
    handler: async ({ platform, caller, params, body }) => {
      await requireOwnEvent(platform, caller, params.id, params.registration_id);
      const { decision, reason = null } = body;
      if (decision === undefined) {
        const change = { eventId: params.id, startNumber: body.start_number ?? null };
        await commit(platform, caller, async (ctx) => ({ id: (await setStartNumber(ctx, params.registration_id, change)).id }));
        return ok(await show(platform, params.registration_id, 'organizer'));
      }
      const startNumber = decision === 'approve' ? (body.start_number ?? null) : null;
      await sendCommand(platform, registrationProcess, params.registration_id, 'decide', {
        caller,
        args: { eventId: params.id, decision, startNumber },
        privateInput: reason === null ? null : { reason },
      });
      return ok(await show(platform, params.registration_id, 'organizer'));
    },
  }),
  defineRoute({
    name: 'acceptOffer',
    method: 'POST',
    path: '/event-registrations/:id/accept',
    access: access.scope('applications:write'),
    tag,
    summary: 'Accept the place that is offered to an own registration',
    description:
      'The registration is submitted. 409 `invalid_state` without an offer, and after `offered_until`. Withdrawing it refuses the offer.',
    request: { params: idParams },
    response: { data: registrationResponse },
    errors: ['invalid_state', 'not_eligible', 'workflow_unavailable'],
    handler: async ({ platform, caller, params }) => {
      await requireOwn(platform, caller, params.id);
      await sendCommand(platform, registrationProcess, params.id, 'accept', { caller, args: {} });
      return ok(await show(platform, params.id, 'athlete'));
    },
  }),
  defineRoute({
    name: 'withdrawRegistration',
    method: 'POST',
    path: '/event-registrations/:id/withdraw',
    access: access.scope('applications:write'),
    tag,
    summary: 'Withdraw an own registration',
    description: 'Frees its place in the class and its start number.',
    request: { params: idParams },
    response: { data: registrationResponse },
    errors: ['invalid_state', 'workflow_unavailable'],
    handler: async ({ platform, caller, params }) => {
      await requireOwn(platform, caller, params.id);
      await sendCommand(platform, registrationProcess, params.id, 'withdraw', { caller, args: {} });
      return ok(await show(platform, params.id, 'athlete'));
    },
  }),
];
