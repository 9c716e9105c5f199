import type { z } from 'zod';
import { fieldProblem } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { cappedPage, ok } from '../../../http/response/reply.ts';
import { cappedListMeta } from '../../../http/schemas.ts';
import { query as runQuery } from '../../../platform/commands/command.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import type { Platform } from '../../../platform/platform.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { actOnProcess } from './act-on-process.ts';
import { listedWork, type ProcessRow } from './find-processes.ts';
import { listProcessActions, listProcesses } from './list-processes.ts';
import * as wire from './wire.ts';

const tag = 'Administration';

/** Routes that list the processes of records (ADM-3) and act on them (ADM-4). */
export const processRoutes: Route[] = [
  defineRoute({
    name: 'listProcesses',
    method: 'GET',
    path: '/admin/processes',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List the processes of records',
    description:
      '`stuck`: due for more than 5 minutes, or a step failed more than five times, or it fails because of its record (`waiting_for` is `support`). `failed`: the workflow ended without completing and does not run. ' +
      '`running`: the process does a due step. `waiting`: it waits for a person, the bank or a date. Without `state` all are listed in this order: stuck ones oldest first, failed ones newest first, waiting ones by kind and id. ' +
      'At most 10,000 are listed and counted; `meta.total_is_capped` is true if there are more, and `kind` or `q` finds them. The list is read from the records and works while Temporal is unavailable. `meta.failed_is_unknown` is then true, and `state=failed` answers 503. ' +
      'Timers of captchas and recovery links are not listed.',
    request: { query: wire.processesQuery },
    response: { data: wire.processesResponse, meta: wire.processesMeta },
    errors: ['workflow_unavailable'],
    handler: async ({ platform, query }) => {
      requireKnownKind(platform, query.kind);
      const { items, total, isTotalCapped, isFailedUnknown } = await listProcesses(platform, query);
      return ok(
        items.flatMap((row) => (row.state === 'over' ? [] : [{ ...presentProcess(platform, row), state: row.state }])),
        {
          total,
          page: query.page,
          limit: query.limit,
          ...(isTotalCapped && { total_is_capped: true }),
          ...(isFailedUnknown && { failed_is_unknown: true }),
        },
      );
    },
  }),
  defineRoute({
    name: 'actOnProcess',
    method: 'POST',
    path: '/admin/processes/:kind/:id/actions',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Retry or restart a process, or query the bank',
    description:
      '`retry` does the due step of the record now and repeats failed long work (the PDF of a certificate or an agreement); another failure is the answer. It makes the mails and bot messages of an account (`delivery`) due at once; they have no other action. `ask_bank` queries the bank about an invoice that is not settled, at most once in 5 seconds, as POST /invoices/{id}/verify does. ' +
      '`restart` ends the workflow and starts it again from its record, without loss. It is for a process that is stuck, failed, missing, or does not accept messages. ' +
      'Other actions answer 409 `invalid_state` with `details: {status, allowed}`: for example a restart of a healthy process, or any action on one that is over. Administrators can read the reason (GET /admin/processes/actions); the audit does not have it. The answer shows the process after the action; a restarted process may not have run its first step yet.',
    request: {
      params: wire.processParams,
      body: wire.processActionBody,
      example: { action: 'restart', reason: 'The release with the fix is installed.' },
    },
    response: { data: wire.processActionResponse },
    errors: [
      'not_found',
      'invalid_state',
      'cannot_be_made',
      'insufficient_funds',
      'bank_unavailable',
      'service_unavailable',
      'workflow_unavailable',
    ],
    handler: async ({ platform, caller, params, body }) => {
      const row = await actOnProcess(platform, params, body, caller);
      return ok({ ...presentProcess(platform, row), state: row.state });
    },
  }),
  defineRoute({
    name: 'listProcessActions',
    method: 'GET',
    path: '/admin/processes/actions',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List the actions of administrators on processes, newest first',
    request: { query: wire.processActionsQuery },
    response: { data: wire.processActionsResponse, meta: cappedListMeta },
    handler: async ({ platform, query }) => {
      const { items, ...counted } = await runQuery(platform, (db) => listProcessActions(db, query));
      return cappedPage(
        items.map(({ id, process: ref, action, reason, actorId, requestId, at }) => ({
          id,
          workflow_id: ref,
          action,
          reason,
          actor_id: actorId,
          request_id: requestId,
          at: formatDateTime(at),
        })),
        counted,
        query,
      );
    },
  }),
];

/** @throws {DomainError} validation_failed, with the known kinds */
function requireKnownKind(platform: Platform, kind: string | undefined): void {
  const known = listedWork(platform).map((work) => work.kind);
  if (kind !== undefined && !known.includes(kind)) throw fieldProblem('query.kind', 'invalid_value', `must be one of: ${known.join(', ')}`);
}

function presentProcess(
  { processes }: Pick<Platform, 'processes'>,
  { process: definition, id, waitingFor, since, nextTimerAt, reason }: ProcessRow,
): Omit<z.input<typeof wire.processActionResponse>, 'state'> {
  const ref = refOf(definition, id);
  return {
    workflow_id: ref,
    kind: definition.kind,
    id,
    waiting_for: waitingFor,
    since: formatDateTime(since),
    next_timer_at: formatDateTime(nextTimerAt),
    url: definition.type === 'record' ? processes.pageOf(ref) : null,
    reason,
  };
}
