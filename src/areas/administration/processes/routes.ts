import type { z } from 'zod';
import { fieldProblem } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { cappedPage, ok } from '../../../http/response/reply.ts';
import { cappedListMeta } from '../../../http/schemas.ts';
import { query as runQuery } from '../../../platform/command.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import type { Platform } from '../../../platform/platform.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { actOnProcess } from './act-on-process.ts';
import { listedWork, type ProcessRow } from './find-processes.ts';
import { listProcessActions, listProcesses } from './list-processes.ts';
import {
  processActionBody,
  processActionResponse,
  processActionsQuery,
  processActionsResponse,
  processesMeta,
  processesQuery,
  processesResponse,
  processParams,
} from './wire.ts';

const tag = 'Administration';

/** Routes that list the processes of records (ADM-3) and act on them (ADM-4). */
export const processRoutes: Route[] = [
  defineRoute({
    name: 'listProcesses',
    method: 'GET',
    path: '/admin/processes',
    access: access.administrator('admin:read'),
    tag,
    summary: 'The processes of records: what is stuck or has failed, is at work, waits',
    description:
      '`stuck`: due for more than 5 minutes, or a step that has failed more than five times, or that fails because of its record (`waiting_for` is `support`). `failed`: its workflow ended otherwise than by completing and does not run again. ' +
      '`running`: something is due and is being done. `waiting`: for a person, the bank or a date. Without `state` all of them in this order; the stuck ones oldest first, the failed ones newest first, those that wait by kind and id. ' +
      'Up to 10,000 are listed and counted; of more `meta.total_is_capped` is true, and `kind` or `q` finds the others. Told from the records, so it goes on while the workflow engine is away: only what has failed is then unknown (`meta.failed_is_unknown`), and `state=failed` answers 503. ' +
      'Timers of captchas and recovery links are no records and are not listed.',
    request: { query: processesQuery },
    response: { data: processesResponse, meta: processesMeta },
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
    summary: 'Have a process that does not go on try again, ask the bank, or begin anew',
    description:
      '`retry` looks at the record now, does what is due and tries long work that failed (the PDF of a certificate or an agreement) once more; what fails again is the answer. Mails and bot messages of an account (`delivery`) become due and go out within seconds; they know no other action. `ask_bank` is for an invoice that is not settled: the bank is asked at most once in 5 seconds, as by POST /invoices/{id}/verify. ' +
      '`restart` ends the workflow and starts it anew from the record, which loses nothing: for one that is stuck, has failed, is missing, or takes no messages. ' +
      'What does not fit is refused: 409 `invalid_state` with `details: {status, allowed}`, such as a new start of a process that works, or anything on one that is over. The reason is kept for administrators (GET /admin/processes/actions), not in the audit. Answers with the process as it stands after; a new start may still be at its first turn.',
    request: { params: processParams, body: processActionBody },
    response: { data: processActionResponse },
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
    summary: 'What administrators had processes do, and why, newest first',
    request: { query: processActionsQuery },
    response: { data: processActionsResponse, meta: cappedListMeta },
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
): Omit<z.input<typeof processActionResponse>, 'state'> {
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
