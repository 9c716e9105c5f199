import { z } from 'zod';
import { DomainError } from '../../../errors.ts';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { dateTimeResponse, idParams, newestFirst, nextMeta, positiveParam } from '../../../http/schemas.ts';
import { query } from '../../../platform/commands/command.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { auditRead } from '../../audit/index.ts';
import type { RequestRecordRow } from '../entities.ts';
import { keptDays, listRequests } from './list-requests.ts';

const requestsQuery = z.strictObject({
  status: positiveParam(599)
    .optional()
    .meta({ description: 'HTTP status of the answer', examples: [422] }),
  ...newestFirst,
});

const requestResponse = z
  .object({
    request_id: z.string(),
    at: dateTimeResponse,
    method: z.string().describe('HTTP method'),
    route: z.string().meta({ description: 'Path with the names of its parameters', examples: ['/applications/:id/submit'] }),
    status: z.int().describe('HTTP status of the answer'),
    code: z.string().nullable().describe('Error code of a refusal'),
    duration_ms: z.int().describe('Milliseconds until the answer'),
  })
  .meta({ id: 'RequestRecord' });

const description = `Newest first, of the last ${keptDays} days of real time, without values of paths, queries and bodies. A request appears within seconds; a crash may lose the last ones.`;

/** Routes of the request log (ACC-33). */
export const requestRoutes: Route[] = [
  defineRoute({
    name: 'listKeyRequests',
    method: 'GET',
    path: '/api-keys/:id/requests',
    access: access.inPerson(access.browser),
    tag: 'API keys',
    summary: 'List the requests of an API key',
    description: `${description} Revoked keys too.`,
    request: { params: idParams, query: requestsQuery },
    response: { data: z.array(requestResponse), meta: nextMeta },
    handler: ({ principal, params, query: filter, platform }) =>
      query(platform, async (db) => {
        const owned = db.selectFrom('api_keys').select('id').where('id', '=', params.id).where('userId', '=', principal.user.id);
        if ((await owned.executeTakeFirst()) === undefined) throw new DomainError('not_found');
        const { rows, next } = await listRequests(db, { keyId: params.id }, filter);
        return ok(rows.map(presentRequest), { next });
      }),
  }),
  defineRoute({
    name: 'listUserRequests',
    method: 'GET',
    path: '/admin/users/:id/requests',
    access: access.administrator('admin:read'),
    tag: 'Administration',
    summary: 'List the requests of an account',
    description: `${description} The read is audited.`,
    request: { params: idParams, query: requestsQuery },
    response: { data: z.array(requestResponse), meta: nextMeta },
    handler: ({ caller, params, query: filter, platform }) =>
      query(platform, async (db, now) => {
        const user = await db.selectFrom('users').select('id').where('id', '=', params.id).executeTakeFirst();
        if (user === undefined) throw new DomainError('not_found');
        await auditRead({ ...caller, db, now }, 'user.read', { kind: 'user', id: params.id }, { part: 'requests' });
        const { rows, next } = await listRequests(db, { userId: params.id }, filter);
        return ok(rows.map(presentRequest), { next });
      }),
  }),
];

function presentRequest({ requestId, at, method, route, status, code, durationMs }: Readonly<RequestRecordRow>) {
  return { request_id: requestId, at: formatDateTime(at), method, route, status, code, duration_ms: durationMs };
}
