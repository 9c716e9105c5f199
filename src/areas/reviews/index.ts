import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { mailSetAside } from '../notifications/index.ts';
import { contactMessageSource, incidentSource, queueSources } from './queue-sources.ts';
import { raiseIncident } from './resolve-incident.ts';
import { incidentRoutes } from './routes.ts';

/** Decisions of administrators and their queue. Lists contact messages too, because accounts cannot depend on this area. */
export const reviewsArea: Area = {
  processes: [],
  extensions: [
    extend(queueSources, contactMessageSource),
    extend(queueSources, incidentSource),
    extend(mailSetAside, (ctx, id, details) => raiseIncident(ctx, 'mail_undeliverable', { kind: 'user', id }, details)),
  ],
  routes: () => incidentRoutes,
};

export {
  approve,
  decisions,
  decisionsOn,
  decisionWords,
  optionalNote,
  recordId,
  requiredNote,
  sendBack,
  wordsOf,
} from './decision-schemas.ts';
export { ReviewDecisionEntity } from './entities.ts';
export type { Decision, ReviewDecision } from './entities.ts';
export { noFlags, queueSources } from './queue-sources.ts';
export type { QueueRow, QueueSource } from './queue-sources.ts';
export { raiseIncident } from './resolve-incident.ts';
export { recordDecision, requireAdministrator, requireNote } from './record-decision.ts';
export { listIncidentsResolvedBy, resolveIncidentByMoney } from './resolve-incident.ts';
export { reviewable, reviewables } from './reviewables.ts';
export type { Reviewable, ReviewBody, ReviewedRecord } from './reviewables.ts';
