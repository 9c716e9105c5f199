import { z } from 'zod';
import { baseUrl } from '../../registry/config.ts';
import { checkAll, DomainError } from '../../errors.ts';
import { access, mayReadOthers } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok, page } from '../../http/response/reply.ts';
import { idParams, listMeta, timelineResponse } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Caller } from '../../platform/commands/context.ts';
import { violatedConstraint } from '../../platform/database/constraint-errors.ts';
import { yearOf } from '../../platform/time/date-time.ts';
import type { Platform } from '../../platform/platform.ts';
import { describeProcess } from '../../platform/workflows/describe-process.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { certificateRoutes } from './certificates/routes.ts';
import { checkTerritory, findServiceOnSale, priceOf } from './command-parts.ts';
import { createApplication } from './create-application.ts';
import type { Application } from './entities.ts';
import { requireOwner, requireReader } from './policy.ts';
import { applicationProcess } from './process.ts';
import { type DuplicateKey, findActiveDuplicate, findApplication, findApplicationRow, listApplications } from './queries.ts';
import { assessReadiness, factsOf } from './readiness/readiness.ts';
import { buildTimeline } from './timeline.ts';
import { updateApplication } from './update-application.ts';
import * as wire from './wire.ts';
import { chooseYear, requireBaseIndex } from './year.ts';

/**
 * Runs a command and adds the id of the existing application when the unique index refuses a duplicate (APP-1).
 *
 * The refused transaction is rolled back, so a new query looks up the existing application.
 * @param year of the new or changed application; the current one by default
 * @throws {DomainError} duplicate_application `{application_id}`
 */
async function namingDuplicate<T>(
  platform: Platform,
  key: Omit<DuplicateKey, 'year'>,
  year: number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'applications_active_unique') throw error;
    const duplicate = await query(platform, (db, now) => findActiveDuplicate(db, { ...key, year: year ?? yearOf(now) }));
    throw new DomainError('duplicate_application', duplicate === null ? undefined : { application_id: duplicate }, undefined, {
      cause: error,
    });
  }
}

const tag = 'Applications';

/** Reads the changed application for the response. */
function show(platform: Platform, id: number) {
  return query(platform, async (db, now) => {
    const record = await findApplication(db, id);
    if (!record) throw new Error(`application ${id} was not found after its own change`);
    return wire.presentApplication(record, now, baseUrl(platform.config));
  });
}

/** Reads the caller's own application. @throws {DomainError} not_found, also for another account's (API-3) */
async function requireOwn(platform: Platform, caller: Caller, id: number): Promise<Readonly<Application>> {
  return requireOwner(caller.actor, await query(platform, (db) => findApplicationRow(db, id)));
}

export const applicationRoutes: Route[] = [
  defineRoute({
    name: 'listApplications',
    method: 'GET',
    path: '/applications',
    access: access.scope('applications:read'),
    tag,
    summary: 'List own applications, newest first',
    request: { query: wire.listQuery },
    response: { data: z.array(wire.applicationResponse), meta: listMeta },
    handler: ({ platform, principal, query: { profile_id: profileId, ...filter } }) =>
      query(platform, async (db, now) => {
        const { records, total } = await listApplications(db, { ...filter, ownerId: principal.user.id, profileId });
        const shown = records.map((record) => wire.presentApplication(record, now, baseUrl(platform.config)));
        return page(shown, total, filter);
      }),
  }),
  defineRoute({
    name: 'quoteApplication',
    method: 'POST',
    path: '/applications/quote',
    access: access.scope('applications:write'),
    tag,
    summary: 'Calculate the present price of a service',
    request: { body: wire.quoteBody, example: { service_id: 1, year: 2027, data: { insurance_territory: 'CIS' } } },
    response: { data: wire.quoteResponse },
    errors: ['base_index_missing'],
    handler: ({ platform, body }) =>
      query(platform, async (db, now) => {
        const service = await findServiceOnSale(db, body.service_id);
        const [year] = await checkAll(
          () => chooseYear(now, service.kind, body.year),
          () => checkTerritory(service, body.data.insurance_territory),
        );
        await requireBaseIndex(db, now, year);
        return ok(wire.presentQuote(service.kind, await priceOf(db, year, service, body.data.insurance_territory)));
      }),
  }),
  defineRoute({
    name: 'createApplication',
    method: 'POST',
    path: '/applications',
    access: access.scope('applications:write'),
    tag,
    summary: 'Create a draft application for a service',
    description:
      'The server sets the price. From 1 November on, `year` may name the next year; its certificate is valid from 1 January. A second active application of the same profile, service, discipline and year answers 409 `duplicate_application`; `details.application_id` names the first.',
    request: {
      body: wire.createBody,
      example: { profile_id: 7, service_id: 1, document_ids: [5, 6], data: { team: 'Алатау', insurance_territory: 'KZ' } },
    },
    response: { status: 201, location: '/applications/:id', data: wire.applicationResponse },
    links: {
      getApplication: { id: 'id' },
      updateApplication: { id: 'id' },
      submitApplication: { id: 'id' },
      payApplication: { id: 'id' },
      cancelApplication: { id: 'id' },
      getApplicationReadiness: { id: 'id' },
      getApplicationTimeline: { id: 'id' },
    },
    errors: ['not_found', 'duplicate_application', 'base_index_missing'],
    handler: async ({ platform, caller, body }) => {
      const { profile_id: profileId, service_id: serviceId, year, document_ids: documentIds, data } = body;
      const input = { profileId, serviceId, year, documentIds, data };
      const key = { profileId, serviceId, disciplineId: data.discipline_id ?? null };
      const { id } = await namingDuplicate(platform, key, year, () => commit(platform, caller, (ctx) => createApplication(ctx, input)));
      return created(await show(platform, id), `/applications/${id}`);
    },
  }),
  defineRoute({
    name: 'getApplication',
    method: 'GET',
    path: '/applications/:id',
    access: access.scope('applications:read'),
    tag,
    summary: 'Get an application',
    request: { params: idParams },
    response: { data: wire.applicationResponse },
    handler: async ({ platform, principal, caller, params }) => {
      const { readable, now } = await query(platform, async (db, instant) => ({
        readable: await requireReader({ principal, caller, db, now: instant }, await findApplication(db, params.id)),
        now: instant,
      }));
      const shown = wire.presentApplication(readable, now, baseUrl(platform.config));
      if (!mayReadOthers(principal)) return ok(shown);
      const described = await describeProcess(platform, applicationProcess, readable, now);
      return ok({ ...shown, process: described });
    },
  }),
  defineRoute({
    name: 'updateApplication',
    method: 'PATCH',
    path: '/applications/:id',
    access: access.scope('applications:write'),
    tag,
    summary: 'Change a draft or a returned application, or replace documents',
    description:
      'A draft is priced again by the present catalog. A returned application keeps its price, unless its territory changes before payment. Territory and discipline are fixed once the application is paid or its certificate issued. In a submitted or approved application only documents can be replaced, and only while a record behind it needs a correction. Submit it again afterwards. Until then its certificate verifies as `under_correction`. A resubmission is not charged. A certificate in force stays in force when a document is exchanged for an approved one that meets the same requirement and is valid at least as long. Values equal to the stored ones change nothing.',
    request: { params: idParams, body: wire.updateBody, example: { document_ids: [5, 8], data: { team: 'Алатау' }, revision: 4 } },
    response: { data: wire.applicationResponse },
    errors: ['invalid_state', 'stale_revision', 'duplicate_application', 'incomplete_application'],
    handler: async ({ platform, caller, params, body }) => {
      const { profileId, serviceId, disciplineId, year } = await requireOwn(platform, caller, params.id);
      const key = { profileId, serviceId, disciplineId: body.data?.discipline_id ?? disciplineId };
      const change = { documentIds: body.document_ids, data: body.data, revision: body.revision };
      await namingDuplicate(platform, key, year, () => commit(platform, caller, (ctx) => updateApplication(ctx, params.id, change)));
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'submitApplication',
    method: 'POST',
    path: '/applications/:id/submit',
    access: access.scope('applications:write'),
    tag,
    summary: 'Submit an application',
    description:
      'Checks that the set of documents is complete. A draft gets its final price from the present catalog. A paid national certificate is approved at once when all conditions hold. After a replacement of documents, the certificate of an approved application becomes valid again with the same number and token. A resubmission is not charged. On an approved application without replaced documents nothing changes.',
    request: { params: idParams },
    response: { data: wire.applicationResponse },
    errors: ['invalid_state', 'incomplete_application', 'workflow_unavailable'],
    handler: async ({ platform, caller, params }) => {
      await requireOwn(platform, caller, params.id);
      await sendCommand(platform, applicationProcess, params.id, 'submit', { caller, args: {} });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'payApplication',
    method: 'POST',
    path: '/applications/:id/pay',
    access: access.scope('wallet:write'),
    tag,
    summary: 'Pay an application from the wallet',
    description: 'A repeated call returns the existing result and does not charge again.',
    request: { params: idParams },
    response: { data: wire.applicationResponse },
    links: { getCertificate: { id: 'id' }, getCertificateQr: { id: 'id' }, setApplicationSharing: { id: 'id' } },
    errors: ['invalid_state', 'insufficient_funds', 'workflow_unavailable'],
    handler: async ({ platform, caller, params }) => {
      await requireOwn(platform, caller, params.id);
      await sendCommand(platform, applicationProcess, params.id, 'pay', { caller, args: {} });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'cancelApplication',
    method: 'POST',
    path: '/applications/:id/cancel',
    access: access.scope('applications:write'),
    tag,
    summary: 'Cancel an application that is not approved',
    description:
      'A payment returns to the wallet that paid; `payment.refunded_minor` shows the amount. If a certificate was issued before, it is annulled and nothing is refunded: `payment.refunded_minor` is 0.',
    request: { params: idParams, body: wire.cancelBody, example: { reason: 'Выбрана не та услуга.' } },
    response: { data: wire.applicationResponse },
    errors: ['invalid_state', 'workflow_unavailable'],
    handler: async ({ platform, caller, params, body }) => {
      await requireOwn(platform, caller, params.id);
      const privateInput = { reason: body.reason };
      await sendCommand(platform, applicationProcess, params.id, 'cancel', { caller, args: {}, privateInput });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'getApplicationReadiness',
    method: 'GET',
    path: '/applications/:id/readiness',
    access: access.scope('applications:read'),
    tag,
    summary: 'List the conditions of approval, the party that must act and its next request',
    request: { params: idParams },
    response: { data: wire.readinessResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const record = await requireReader({ principal, caller, db, now }, await findApplication(db, params.id), 'readiness');
        return ok(assessReadiness(factsOf(record, now)));
      }),
  }),
  defineRoute({
    name: 'getApplicationTimeline',
    method: 'GET',
    path: '/applications/:id/timeline',
    access: access.scope('applications:read'),
    tag,
    summary: 'List the steps of an application, oldest first',
    request: { params: idParams },
    response: { data: timelineResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const record = await requireReader({ principal, caller, db, now }, await findApplication(db, params.id), 'timeline');
        return ok(await buildTimeline(db, record, now));
      }),
  }),
  ...certificateRoutes,
];
