import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { ok } from '../http/reply.ts';
import { idParams } from '../http/schemas.ts';
import { commit } from '../platform/command.ts';
import { presentIncident } from './presenter.ts';
import { resolveIncident } from './resolve-incident.ts';
import { incidentResponse, resolutionBody } from './schemas.ts';

/** What is settled without a review (decisions.md §9). */
export const incidentRoutes: Route[] = [
  defineRoute({
    name: 'resolveIncident',
    method: 'POST',
    path: '/admin/incidents/:id/resolve',
    access: access.administrator('admin:write'),
    tag: 'Administration',
    summary: 'Settle an incident',
    description:
      'It leaves the queue. One that is settled already stays as it is. Where money has to move, a correction or a reversal that names the incident settles it together with the money.',
    request: { params: idParams, body: resolutionBody },
    response: { data: incidentResponse },
    handler: async ({ params, body, caller, platform }) =>
      ok(await commit(platform, caller, async (ctx) => presentIncident(await resolveIncident(ctx, params.id, body)))),
  }),
];
