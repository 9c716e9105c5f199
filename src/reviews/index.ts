export { reviewsArea } from './area.ts';
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
export { raiseIncident } from './raise-incident.ts';
export { recordDecision } from './record-decision.ts';
export { requireAdministrator } from './require-administrator.ts';
export { listIncidentsResolvedBy, resolveIncidentByMoney } from './resolve-incident.ts';
export { reviewable, reviewables } from './reviewables.ts';
export type { Reviewable, ReviewBody, ReviewedRecord } from './reviewables.ts';
