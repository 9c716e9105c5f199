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
export { IncidentEntity, ReviewDecisionEntity, ReviewStandingEntity } from './entities.ts';
export type { Decision, Incident, IncidentKind, ReviewDecision } from './entities.ts';
export { noFlags, noRecord, queueSources } from './queue-sources.ts';
export type { QueueRow, QueueSource } from './queue-sources.ts';
export { raiseIncident } from './raise-incident.ts';
export { recordDecision } from './record-decision.ts';
export type { RecordedDecision } from './record-decision.ts';
export { requireAdministrator } from './require-administrator.ts';
export { listIncidentsResolvedBy, resolveIncidentByMoney } from './resolve-incident.ts';
export { reviewable, reviewables } from './reviewables.ts';
export type { Reviewable, ReviewBody, ReviewedRecord } from './reviewables.ts';
