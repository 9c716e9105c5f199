import { DomainError, type ErrorCode } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { page, ok } from '../../../http/response/reply.ts';
import { listMeta } from '../../../http/schemas.ts';
import { query as runQuery, query } from '../../../platform/commands/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { QueueSource, Reviewable, ReviewBody, ReviewedRecord } from '../../reviews/index.ts';
import { listQueue } from './list-queue.ts';
import * as wire from './wire.ts';

const tag = 'Administration';

/** @param sources the kinds of records that wait for an administrator */
export function createQueueRoute(sources: readonly QueueSource[]): Route {
  return defineRoute({
    name: 'listQueue',
    method: 'GET',
    path: '/admin/queue',
    access: access.administrator('admin:read'),
    tag,
    summary: 'List the records that wait for an administrator, oldest first',
    request: { query: wire.queueQuery(sources) },
    response: { data: wire.queueResponse(sources), meta: listMeta },
    handler: async ({ platform, query }) => {
      const { items, total } = await runQuery(platform, (db, now) => listQueue(db, now, sources, query));
      return page(items.map(wire.presentQueueItem), total, query);
    },
  });
}

/** Refusals that are common to the decisions on all kinds. */
const commonErrors: readonly ErrorCode[] = ['not_found', 'invalid_state', 'stale_revision', 'not_ready', 'workflow_unavailable'];

/** Creates `POST /admin/review` for all kinds that administrators decide on (REV-1). */
export function createReviewRoute(kinds: readonly Reviewable[]): Route {
  return defineRoute({
    name: 'reviewRecord',
    method: 'POST',
    path: '/admin/review',
    access: access.administrator('admin:write'),
    tag: 'Administration',
    summary: 'Decide on a profile, a photo, a document, an application or a stage of an event',
    description:
      '`changes` and `cancel` need a note of 5-3000 characters. A decision on an application needs the `revision` that the administrator read; for the other kinds `updated_at` names what they read. ' +
      'A record that has changed since answers 409 `stale_revision` with `details`; data and photo are one profile, so a decision on one changes the version of both. ' +
      'An approval without its file answers 409 `file_missing`. A repeated decision changes nothing.',
    request: {
      body: wire.reviewBody(kinds),
      example: {
        kind: 'document',
        id: 5,
        decision: 'changes',
        note: 'Скан неразборчив, пришлите ещё раз.',
        updated_at: '2026-03-01T09:00:00.123+05:00',
      },
    },
    response: { data: wire.reviewedResponse(kinds) },
    errors: [...new Set<ErrorCode>([...commonErrors, ...kinds.flatMap(({ errors = [] }) => errors)])],
    handler: async ({ platform, caller, body }) => {
      const reviewable = kinds.find(({ kind }) => kind === body.kind);
      if (!reviewable) throw new DomainError('not_found');
      await find(platform, reviewable, body);
      await reviewable.review(platform, body, caller);
      return ok(await find(platform, reviewable, body));
    },
  });
}

/** @throws {DomainError} not_found */
async function find(platform: Platform, reviewable: Reviewable, body: ReviewBody): Promise<ReviewedRecord> {
  const record = await query(platform, (db) => reviewable.find(db, body.id, body));
  if (!record) throw new DomainError('not_found');
  return record;
}
