import type { Area } from '../http/define-area.ts';
import { mailSetAside } from '../notifications/index.ts';
import { extend } from '../platform/extensions.ts';
import { contactMessageSource, incidentSource } from './own-queue-sources.ts';
import { queueSources } from './queue-sources.ts';
import { raiseIncident } from './raise-incident.ts';
import { incidentRoutes } from './routes.ts';

/** Decisions of administrators and what waits for them; contact messages are listed here because accounts stand below. */
export const reviewsArea: Area = {
  processes: [],
  extensions: [
    extend(queueSources, contactMessageSource),
    extend(queueSources, incidentSource),
    extend(mailSetAside, (ctx, id, details) => raiseIncident(ctx, 'mail_undeliverable', { kind: 'user', id }, details)),
  ],
  routes: () => incidentRoutes,
};
