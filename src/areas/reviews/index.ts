import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { stateGauges } from '../../platform/metrics/state-gauges.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { changedRecords } from '../changes/index.ts';
import { mailSetAside } from '../notifications/index.ts';
import { incidentChanges, queueGauges } from './extensions.ts';
import { reviewsImpersonalRecords, reviewsRecords } from './personal-data.ts';
import { contactMessageSource, incidentSource, queueSources } from './queue-sources.ts';
import { raiseIncident } from './resolve-incident.ts';
import { incidentRoutes } from './routes.ts';

/** Decisions of administrators and their queue. Lists contact messages too, because accounts cannot depend on this area. */
export const reviewsArea: Area = {
  processes: [],
  extensions: [
    extend(changedRecords, incidentChanges),
    extend(queueSources, contactMessageSource),
    extend(queueSources, incidentSource),
    extend(stateGauges, queueGauges),
    extend(mailSetAside, (ctx, id, details) => raiseIncident(ctx, 'mail_undeliverable', { kind: 'user', id }, details)),
    extend(personalRecords, reviewsRecords),
    extend(impersonalRecords, reviewsImpersonalRecords),
  ],
  routes: () => incidentRoutes,
};

export { type Decision, type ReviewDecision, ReviewDecisionEntity } from './entities.ts';
export {
  noDetails,
  noFlags,
  noText,
  noVersion,
  type QueueDetails,
  type QueueRow,
  type QueueSource,
  queueSources,
} from './queue-sources.ts';
export { recordDecision, requireAdministrator, requireExplanation, requireNote } from './record-decision.ts';
export { listIncidentsResolvedBy, raiseIncident, resolveIncidentByMoney } from './resolve-incident.ts';
export {
  approve,
  decisionResponse,
  decisions,
  decisionsOn,
  decisionInput,
  optionalNote,
  recordId,
  requiredNote,
  type Reviewable,
  reviewable,
  reviewables,
  type ReviewBody,
  type ReviewedRecord,
  seenVersion,
  sendBack,
  versionArg,
  privateNote,
} from './reviewables.ts';
