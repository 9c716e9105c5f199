import { DomainError, type ErrorCode } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { query } from '../../../platform/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Reviewable, ReviewBody, ReviewedRecord } from '../../reviews/index.ts';
import { reviewBody, reviewedResponse } from './wire.ts';

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
    summary: 'Decide on a profile, a photo, a document, an application or a stage of a competition',
    description:
      'Changes this one record. `changes` and `cancel` need a note of 5-3000 characters; a decision on an application names the `revision` it was made about. ' +
      'The same decision again, on a record that stands so already, changes nothing.',
    request: { body: reviewBody(kinds) },
    checks: kinds.flatMap(({ checks = [] }) => checks),
    response: { data: reviewedResponse(kinds) },
    errors: [...new Set<ErrorCode>([...commonErrors, ...kinds.flatMap(({ errors = [] }) => errors)])],
    handler: async ({ platform, caller, idempotencyKey, body }) => {
      const reviewable = kinds.find(({ kind }) => kind === body.kind);
      if (!reviewable) throw new DomainError('not_found');
      await find(platform, reviewable, body);
      await reviewable.review(platform, body, { caller, idempotencyKey });
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
