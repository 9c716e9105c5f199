import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { auditRecords } from './personal-data.ts';

/** The audit: the commands of all areas write it, administrators read it. */
export const auditArea: Area = { processes: [], extensions: [extend(personalRecords, auditRecords)], routes: () => [] };

export { type ChangeAction, type ChangeRecord, changeVerbs, isChange, listActions, unpublishedActions } from './actions.ts';
export {
  audit,
  auditAll,
  auditByEach,
  type AuditedFactBy,
  auditRead,
  authorizeReading,
  ownerCheck,
  readerCheck,
  type Reading,
} from './audit.ts';
export { AuditEventEntity } from './entities.ts';
export {
  auditCategories,
  type AuditFilter,
  countAuditEvents,
  type EventPlace,
  listAuditEvents,
  listAuditEventsAfter,
  type ListedEvent,
} from './list-audit-events.ts';
export { deleteOldSecurityEvents, SecurityRecorder } from './security-recorder.ts';
