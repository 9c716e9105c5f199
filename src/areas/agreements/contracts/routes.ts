import { z } from 'zod';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError, fieldProblem } from '../../../errors.ts';
import { access, mayReadOthers } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { idParams, listMeta, timelineResponse } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Caller } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { awaitLongWork, sendCommand } from '../../../platform/workflows/send-command.ts';
import { admitUpload } from '../../files/index.ts';
import { versionArg } from '../../reviews/index.ts';
import type { Contract } from '../entities.ts';
import { createContract, nameExisting } from './create-contract.ts';
import { contractFileRoutes } from './file-routes.ts';
import { noteSeen } from './note-seen.ts';
import { requireContractOwner, requireContractParty, requireContractReader } from './policy.ts';
import { agreementProcess } from './process.ts';
import { findContract, listContracts } from './queries.ts';
import { sendScan } from './send-scan.ts';
import { buildTimeline } from './timeline.ts';
import {
  cancelContractBody,
  contractListQuery,
  contractResponse,
  createContractBody,
  presentContract,
  replaceContractBody,
  reviewContractBody,
} from './wire.ts';

const tag = 'Agreements';

function show(platform: Platform, id: number) {
  return query(platform, async (db) => {
    const record = await findContract(db, id);
    if (!record) throw new Error(`agreement ${id} was not found after its own command`);
    return presentContract(record, baseUrl(platform.config));
  });
}

/** Reads the row of an agreement for access checks. */
async function rowOf(platform: Platform, id: number): Promise<Readonly<Contract> | null> {
  return (await query(platform, (db) => findContract(db, id)))?.contract ?? null;
}

/** Reads the caller's own agreement. @throws {DomainError} not_found for another account's */
async function requireOwn(platform: Platform, caller: Caller, id: number): Promise<Readonly<Contract>> {
  return requireContractOwner(caller.actor, await rowOf(platform, id));
}

/**
 * Waits until the PDF of an agreement is stored; a lost one is restored (AGR-3).
 * @throws {DomainError} workflow_unavailable, service_unavailable (both may be retried); cannot_be_made
 */
async function showWithPdf(platform: Platform, id: number, requestId: string) {
  await awaitLongWork(platform, agreementProcess, id, requestId);
  return show(platform, id);
}

const next = {
  getContract: { id: 'id' },
  getContractOriginal: { id: 'id' },
  requestContractConfirmation: { id: 'id' },
  sendContractScan: { id: 'id' },
  replaceContract: { id: 'id' },
  cancelContract: { id: 'id' },
  getContractTimeline: { id: 'id' },
};

export const contractRoutes: Route[] = [
  defineRoute({
    name: 'listContracts',
    method: 'GET',
    path: '/contracts',
    access: access.scope('events:read'),
    tag,
    summary: 'List own agreements, newest first',
    request: { query: contractListQuery },
    response: { data: z.array(contractResponse), meta: listMeta },
    handler: ({ platform, principal, query: { event_id: eventId, ...filter } }) =>
      query(platform, async (db) => {
        const { records, total } = await listContracts(db, { ...filter, ownerId: principal.user.id, eventId });
        return page(
          records.map((record) => presentContract(record, baseUrl(platform.config))),
          total,
          filter,
        );
      }),
  }),
  defineRoute({
    name: 'createContract',
    method: 'POST',
    path: '/contracts',
    access: access.scope('events:write'),
    tag,
    summary: 'Create the agreement about an event and its PDF',
    description:
      "For an own event that is not over and has an approved organizer profile. Stores a snapshot of the event, the profile and the federation's signing setting; later changes do not affect the agreement. " +
      'An event has at most one agreement that is neither replaced nor cancelled: 409 `contract_exists` names it. 503 if the PDF is not ready in time: the agreement exists, and `POST /contracts/{id}/request-confirmation` waits for its PDF.',
    request: {
      body: createContractBody,
      example: { event_id: 3, template_id: 1, data: { notes: 'Этап чемпионата проходит без зрителей.' } },
    },
    response: { status: 201, location: '/contracts/:id', data: contractResponse },
    links: next,
    errors: [
      'not_found',
      'invalid_state',
      'profile_not_approved',
      'contract_exists',
      'federation_signing_missing',
      'cannot_be_made',
      'workflow_unavailable',
    ],
    handler: async ({ platform, caller, body }) => {
      const content = { templateId: body.template_id ?? null, notes: body.data.notes ?? null };
      const { id } = await nameExisting(platform, body.event_id, () =>
        commit(platform, caller, (ctx) => createContract(ctx, body.event_id, content)),
      );
      return created(await showWithPdf(platform, id, caller.requestId), `/contracts/${id}`);
    },
  }),
  defineRoute({
    name: 'getContract',
    method: 'GET',
    path: '/contracts/:id',
    access: access.scope('events:read'),
    tag,
    summary: 'One agreement',
    request: { params: idParams },
    response: { data: contractResponse },
    handler: async ({ platform, principal, caller, params }) => {
      const { record, now } = await query(platform, async (db, instant) => ({
        record: await requireContractReader({ principal, caller, db, now: instant }, await findContract(db, params.id)),
        now: instant,
      }));
      const shown = presentContract(record, baseUrl(platform.config));
      if (!mayReadOthers(principal)) return ok(shown);
      const described = await describeProcess(platform, agreementProcess, record, now);
      return ok({ ...shown, process: described });
    },
  }),
  defineRoute({
    name: 'requestContractConfirmation',
    method: 'POST',
    path: '/contracts/:id/request-confirmation',
    access: access.scope('events:write'),
    tag,
    summary: "Have the PDF with the federation's signature and stamp made or restored",
    description:
      'Changes no state. Waits for a PDF that is still being made; one that the storage has lost is made again, with the same bytes. 409 `cannot_be_made` where that is not possible any more: support has to look after it.',
    request: { params: idParams },
    response: { data: contractResponse },
    links: next,
    errors: ['cannot_be_made', 'workflow_unavailable'],
    handler: async ({ platform, caller, params }) => {
      await requireOwn(platform, caller, params.id);
      return ok(await showWithPdf(platform, params.id, caller.requestId));
    },
  }),
  defineRoute({
    name: 'sendContractScan',
    method: 'POST',
    path: '/contracts/:id/scan',
    access: access.scope('events:write'),
    tag,
    summary: 'Send the scan of all signed pages',
    description:
      'One PDF, while the agreement is `generated` or `rejected` and its event is neither cancelled nor completed (409 `event_over`). The agreement then waits for the federation. The scan is examined like every upload. Further reasons for a refusal (`details.reason`): `unsupported_type` (not a PDF), `too_few_pages` (fewer than the agreement), `not_signed` (the generated PDF itself). ' +
      'It becomes a file of yours with the purpose `agreement`, counts towards your quota, and cannot be deleted while the agreement uses it. A refused scan is deleted.',
    bodyKind: 'upload',
    request: { params: idParams, body: z.strictObject({}) },
    response: { data: contractResponse },
    links: { getContract: { id: 'id' }, getContractTimeline: { id: 'id' } },
    errors: [
      'event_over',
      'invalid_state',
      'payload_too_large',
      'unsupported_media_type',
      'file_rejected',
      'quota_exceeded',
      'service_unavailable',
      'workflow_unavailable',
    ],
    admit: ({ platform, principal, contentLength }) => admitUpload(platform, principal.user.id, contentLength),
    handler: async ({ platform, caller, params, upload, signal }) => {
      const record = await query(platform, (db) => findContract(db, params.id));
      requireContractOwner(caller.actor, record?.contract ?? null);
      if (!record) throw new DomainError('not_found');
      if (!upload) throw fieldProblem('body.file', 'required', 'is required');
      await sendScan(platform, record, { file: upload, caller, signal });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'replaceContract',
    method: 'POST',
    path: '/contracts/:id/replace',
    access: access.scope('events:write'),
    tag,
    summary: 'Replace the agreement with a new version',
    description:
      'From any status but `replaced` and `cancelled`, while the event is neither cancelled nor completed (409 `event_over`). The old agreement is no longer valid at once, and its QR shows this; its files stay. The answer is the new version: it has its own number, uses the current event, profile and signing setting, and must be signed and confirmed like the first. 503 if its PDF is not ready in time: the new version exists, the old one names it as `replaced_by_id`, and `POST /contracts/{id}/request-confirmation` waits for its PDF.',
    request: { params: idParams, body: replaceContractBody, example: { reason: 'Изменились даты соревнования.' } },
    response: { data: contractResponse },
    links: next,
    errors: ['event_over', 'invalid_state', 'profile_not_approved', 'federation_signing_missing', 'cannot_be_made', 'workflow_unavailable'],
    handler: async ({ platform, caller, params, body }) => {
      await requireOwn(platform, caller, params.id);
      const args = { templateId: body.template_id ?? null };
      const privateInput = { reason: body.reason, notes: body.data.notes ?? null };
      await sendCommand(platform, agreementProcess, params.id, 'replace', { caller, args, privateInput });
      const nextId = (await rowOf(platform, params.id))?.replacedById ?? null;
      if (nextId === null) throw new Error(`agreement ${params.id} has no successor after its replacement`);
      return ok(await showWithPdf(platform, nextId, caller.requestId));
    },
  }),
  defineRoute({
    name: 'cancelContract',
    method: 'POST',
    path: '/contracts/:id/cancel',
    access: access.scope('events:write'),
    tag,
    summary: 'Cancel the agreement',
    description:
      'From any status but `replaced` and `cancelled`, by its organizer or an administrator. The agreement is no longer valid at once, and its QR shows this; its files stay. A new agreement may be created for the event.',
    request: { params: idParams, body: cancelContractBody, example: { reason: 'Соревнование не состоится.' } },
    response: { data: contractResponse },
    errors: ['invalid_state', 'workflow_unavailable'],
    handler: async ({ platform, caller, params, body }) => {
      requireContractParty(caller.actor, await rowOf(platform, params.id));
      const privateInput = { reason: body.reason };
      await sendCommand(platform, agreementProcess, params.id, 'cancel', { caller, args: {}, privateInput });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'getContractTimeline',
    method: 'GET',
    path: '/contracts/:id/timeline',
    access: access.scope('events:read'),
    tag,
    summary: 'List the steps of an agreement, oldest first',
    request: { params: idParams },
    response: { data: timelineResponse },
    handler: ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const record = await requireContractReader({ principal, caller, db, now }, await findContract(db, params.id), 'timeline');
        return ok(await buildTimeline(db, record, now));
      }),
  }),
  ...contractFileRoutes,
  defineRoute({
    name: 'reviewContract',
    method: 'POST',
    path: '/admin/contracts/:id/review',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Confirm or reject the signed scan of an agreement',
    description:
      'Only while it is `pending`: a second decision answers 409, and a confirmation after the event is cancelled or completed 409 `event_over`. With `updated_at`, an agreement that has changed since answers 409 `stale_revision`. `reject` needs a reason of 5-3000 characters; the organizer may then send another scan. A confirmed agreement is in force and opens the next stage of its event.',
    request: {
      params: idParams,
      body: reviewContractBody,
      example: { decision: 'reject', reason: 'На скане нет подписи директора.', updated_at: '2026-03-01T09:00:00.123+05:00' },
    },
    response: { data: contractResponse },
    errors: ['event_over', 'invalid_state', 'stale_revision', 'file_missing', 'workflow_unavailable'],
    handler: async ({ platform, caller, params, body }) => {
      if ((await rowOf(platform, params.id)) === null) throw new DomainError('not_found');
      const args = { decision: body.decision, ...versionArg(body) };
      const privateInput = body.decision === 'reject' ? { reason: body.reason } : null;
      await sendCommand(platform, agreementProcess, params.id, 'review', { caller, args, privateInput });
      return ok(await show(platform, params.id));
    },
  }),
  defineRoute({
    name: 'noteContractSeen',
    method: 'POST',
    path: '/admin/contracts/:id/seen',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Note that an administrator has seen the end of an agreement',
    description:
      'An agreement that its organizer replaces or cancels waits in `GET /admin/queue` as `contract_ended` until an administrator has seen it. A repeat changes nothing; an agreement that was not ended answers 409.',
    request: { params: idParams },
    response: { data: contractResponse },
    errors: ['not_found', 'invalid_state'],
    handler: async ({ platform, caller, params }) =>
      ok(await commit(platform, caller, async (ctx) => presentContract(await noteSeen(ctx, params.id), baseUrl(platform.config)))),
  }),
];
