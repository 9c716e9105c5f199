import { z } from 'zod';
import { cancelApplicationUpdate, payApplicationUpdate, submitApplicationUpdate } from '../../workflows/application-lifecycle.contract.ts';
import { describeProcess } from '../administration/describe-process.ts';
import { findService } from '../catalog/index.ts';
import { baseUrl } from '../config.ts';
import { fieldProblem } from '../errors.ts';
import { access, isAdministrator } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { created, ok, page } from '../http/reply.ts';
import { idParams, listMeta, timelineShape } from '../http/schemas.ts';
import { read, runCommand } from '../platform/command.ts';
import { yearOf } from '../platform/date-time.ts';
import type { Caller } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { keepPrivateInput } from '../platform/private-inputs.ts';
import { processRef } from '../platform/process-ref.ts';
import { priceOf } from './application-content.ts';
import { certificateRoutes } from './certificate-routes.ts';
import { createApplication } from './create-application.ts';
import { namingDuplicate } from './duplicate-application.ts';
import { requireOwner, requireReader } from './policy.ts';
import { presentApplication, presentQuote } from './presenter.ts';
import { viewOfApplication } from './process-view.ts';
import { findApplication, findOwnerOfApplication, listApplications } from './queries.ts';
import { assessReadiness } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import { applicationShape, cancelBody, createBody, listQuery, quoteBody, quoteShape, readinessShape, updateBody } from './schemas.ts';
import { tellTimeline } from './timeline.ts';
import { updateApplication } from './update-application.ts';

const tag = 'Applications';

/** The application as it stands after a command, for the answer. */
function show(platform: Platform, id: number) {
  return read(platform, async (em, now) => {
    const record = await findApplication(em, id);
    if (!record) throw new Error(`application ${id} vanished under its own request`);
    return presentApplication(record, now, baseUrl(platform.config));
  });
}

/** @throws {DomainError} not_found, unless it is the caller's own */
async function requireOwn(platform: Platform, caller: Caller, id: number): Promise<void> {
  const ownerId = await read(platform, (em) => findOwnerOfApplication(em, id));
  requireOwner(caller.actor, ownerId === null ? null : { ownerId });
}

/** The same, with the record. */
async function loadOwn(platform: Platform, caller: Caller, id: number): Promise<ApplicationRecord> {
  return requireOwner(caller.actor, await read(platform, (em) => findApplication(em, id)));
}

export const applicationRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/applications',
    access: access.scope('applications:read'),
    tag,
    summary: 'Own applications, newest first',
    request: { query: listQuery },
    response: { data: z.array(applicationShape), meta: listMeta },
    handler: ({ platform, principal, query }) =>
      read(platform, async (em, now) => {
        const filter = {
          ownerId: principal.user.id,
          status: query.status,
          profileId: query.profile_id,
          year: query.year,
          page: query.page,
          limit: query.limit,
        };
        const { records, total } = await listApplications(em, filter);
        return page(
          records.map((record) => presentApplication(record, now, baseUrl(platform.config))),
          total,
          query,
        );
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/applications/quote',
    access: access.scope('applications:write'),
    tag,
    summary: 'What a service would cost now',
    request: { body: quoteBody },
    response: { data: quoteShape },
    handler: ({ platform, body }) =>
      read(platform, async (em, now) => {
        const service = await findService(em, body.service_id);
        if (!service?.isActive) throw fieldProblem('body.service_id', 'not_found', 'there is no such service on sale');
        return ok(presentQuote(service.kind, await priceOf(em, now, service, body.data.insurance_territory)));
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/applications',
    access: access.scope('applications:write'),
    tag,
    summary: 'Open an application for a service',
    description:
      "The price is the server's. A second active application of the same profile, service, discipline and year is refused with the id of the first.",
    request: { body: createBody },
    response: { status: 201, data: applicationShape },
    errors: ['not_found', 'duplicate_application'],
    handler: async ({ platform, caller, body }) => {
      const input = { profileId: body.profile_id, serviceId: body.service_id, documentIds: body.document_ids, data: body.data };
      const key = { profileId: input.profileId, serviceId: input.serviceId, disciplineId: body.data.discipline_id ?? null };
      const id = await namingDuplicate(platform, key, yearOf, () => runCommand(platform, caller, (ctx) => createApplication(ctx, input)));
      return created(await show(platform, id));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/applications/:id',
    access: access.scope('applications:read'),
    tag,
    summary: 'One application',
    request: { params: idParams },
    response: { data: applicationShape },
    handler: async ({ platform, principal, params }) => {
      const { record, now } = await read(platform, async (em, instant) => ({ record: await findApplication(em, params.id), now: instant }));
      const readable = requireReader(principal, record);
      const shown = presentApplication(readable, now, baseUrl(platform.config));
      if (!isAdministrator(principal)) return ok(shown);
      const process = await describeProcess(platform, processRef('application', params.id), viewOfApplication(readable, now), now);
      return ok({ ...shown, process });
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/applications/:id',
    access: access.scope('applications:write'),
    tag,
    summary: 'Change a draft or returned application',
    description:
      'The price follows while nothing is paid; a paid application keeps its amount, territory and discipline. In a submitted or approved one, documents can be replaced while something behind it does not stand. Submit it again afterwards: an issued certificate whose documents were replaced verifies as `under_correction` until then, and nothing is charged twice.',
    request: { params: idParams, body: updateBody },
    response: { data: applicationShape },
    errors: ['invalid_state', 'stale_revision', 'duplicate_application', 'incomplete_application'],
    handler: async ({ platform, caller, params, body }) => {
      const record = await loadOwn(platform, caller, params.id);
      const key = {
        profileId: record.profileId,
        serviceId: record.serviceId,
        disciplineId: body.data?.discipline_id ?? record.disciplineId,
      };
      const change = { id: params.id, documentIds: body.document_ids, data: body.data, revision: body.revision };
      await namingDuplicate(
        platform,
        key,
        () => record.year,
        () => runCommand(platform, caller, (ctx) => updateApplication(ctx, change)),
      );
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/applications/:id/submit',
    access: access.scope('applications:write'),
    tag,
    summary: 'Check the set of documents and send the application',
    description:
      'A paid national certificate whose conditions all hold is approved at once. After documents of an approved application were replaced, this puts its certificate back into force; number and token stay, nothing is charged.',
    request: { params: idParams },
    response: { data: applicationShape },
    errors: ['invalid_state', 'incomplete_application', 'workflow_unavailable', 'idempotency_key_conflict'],
    handler: async ({ platform, caller, idempotencyKey, params }) => {
      await requireOwn(platform, caller, params.id);
      await platform.processes.command(processRef('application', params.id), submitApplicationUpdate, {}, { caller, idempotencyKey });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/applications/:id/pay',
    access: access.scope('wallet:write'),
    tag,
    summary: 'Pay the application from the wallet',
    description: 'A repeated call returns the existing result and does not charge again.',
    request: { params: idParams },
    response: { data: applicationShape },
    errors: ['invalid_state', 'insufficient_funds', 'workflow_unavailable', 'idempotency_key_conflict'],
    handler: async ({ platform, caller, idempotencyKey, params }) => {
      await requireOwn(platform, caller, params.id);
      await platform.processes.command(processRef('application', params.id), payApplicationUpdate, {}, { caller, idempotencyKey });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/applications/:id/cancel',
    access: access.scope('applications:write'),
    tag,
    summary: 'Give the application up while it is not approved',
    description: 'What was paid goes back into the wallet, unless a certificate was issued for it before.',
    request: { params: idParams, body: cancelBody },
    response: { data: applicationShape },
    errors: ['invalid_state', 'workflow_unavailable', 'idempotency_key_conflict'],
    handler: async ({ platform, caller, idempotencyKey, params, body }) => {
      await requireOwn(platform, caller, params.id);
      const privateInputId = await keepPrivateInput(platform, body);
      await platform.processes.command(
        processRef('application', params.id),
        cancelApplicationUpdate,
        { privateInputId },
        { caller, idempotencyKey },
      );
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/applications/:id/readiness',
    access: access.scope('applications:read'),
    tag,
    summary: 'Every condition of approval, who it waits for and what helps',
    request: { params: idParams },
    response: { data: readinessShape },
    handler: ({ platform, principal, params }) =>
      read(platform, async (em, now) => ok(assessReadiness(factsOf(requireReader(principal, await findApplication(em, params.id)), now)))),
  }),
  defineRoute({
    method: 'GET',
    path: '/applications/:id/timeline',
    access: access.scope('applications:read'),
    tag,
    summary: 'What happened to the application, step by step',
    request: { params: idParams },
    response: { data: timelineShape },
    handler: ({ platform, principal, params }) =>
      read(platform, async (em, now) => ok(await tellTimeline(em, requireReader(principal, await findApplication(em, params.id)), now))),
  }),
  ...certificateRoutes,
];
