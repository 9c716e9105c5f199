import { findApplication, viewOfApplication } from '../applications/index.ts';
import { baseUrl } from '../config.ts';
import { DomainError } from '../errors.ts';
import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { ok, page } from '../http/reply.ts';
import { idParams, listMeta } from '../http/schemas.ts';
import { read } from '../platform/command.ts';
import type { Platform } from '../platform/platform.ts';
import { processRef } from '../platform/process-ref.ts';
import { applicationRecordShape } from './application-record-schema.ts';
import { describeProcess } from './describe-process.ts';
import { findRecordsBehind } from './find-application-record.ts';
import { listAuditEvents } from './list-audit-events.ts';
import { listQueue } from './list-queue.ts';
import { presentApplicationRecord, presentAuditEvent, presentQueueItem } from './presenter.ts';
import { reviewBody, reviewedShape } from './review-schemas.ts';
import { findReviewedRecord } from './reviewed-record.ts';
import { auditQuery, auditShape, queueQuery, queueShape } from './schemas.ts';
import { sendReview } from './send-review.ts';

const tag = 'Administration';

/** What administrators do and see (service.md "Administration"). */
export const administrationRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/admin/review',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Decide on a profile, a photo, a document or an application',
    description:
      'Changes this one record. `changes` and `cancel` need a note of 5-3000 characters; a decision on an application names the `revision` it was made about. ' +
      'The same decision again, on a record that stands so already, changes nothing.',
    request: { body: reviewBody },
    response: { data: reviewedShape },
    errors: ['not_found', 'invalid_state', 'stale_revision', 'not_ready', 'idempotency_key_conflict', 'workflow_unavailable'],
    handler: async ({ platform, caller, idempotencyKey, body }) => {
      const find = () => read(platform, (em) => findReviewedRecord(em, body.kind, body.id));
      if (!(await find())) throw new DomainError('not_found');
      await sendReview(platform, body, { caller, idempotencyKey });
      const reviewed = await find();
      if (!reviewed) throw new DomainError('not_found');
      return ok(reviewed);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/admin/queue',
    access: access.administrator('admin:read'),
    tag,
    summary: 'What waits for an administrator, oldest first',
    request: { query: queueQuery },
    response: { data: queueShape, meta: listMeta },
    handler: async ({ platform, query }) => {
      const { items, total } = await read(platform, (em) => listQueue(em, query));
      return page(items.map(presentQueueItem), total, query);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/admin/records/application/:id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'An application with all that a decision on it needs',
    request: { params: idParams },
    response: { data: applicationRecordShape },
    handler: async ({ platform, params }) => ok(await showApplicationRecord(platform, params.id)),
  }),
  defineRoute({
    method: 'GET',
    path: '/admin/audit',
    access: access.administrator('admin:read'),
    tag,
    summary: 'The journal: who did what to which record, newest first',
    request: { query: auditQuery },
    response: { data: auditShape, meta: listMeta },
    handler: async ({ platform, query }) => {
      const { items, total } = await read(platform, (em) => listAuditEvents(em, query));
      return page(items.map(presentAuditEvent), total, query);
    },
  }),
];

async function showApplicationRecord(platform: Platform, id: number) {
  const { shown, view, now } = await read(platform, async (em, present) => {
    const record = await findApplication(em, id);
    const behind = await findRecordsBehind(em, id);
    if (!record || !behind) throw new DomainError('not_found');
    const shape = presentApplicationRecord(record, behind, present, baseUrl(platform.config));
    return { shown: shape, view: viewOfApplication(record, present), now: present };
  });
  return { ...shown, process: await describeProcess(platform, processRef('application', id), view, now) };
}
