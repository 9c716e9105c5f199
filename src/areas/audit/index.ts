import type { Area } from '../../http/define-area.ts';

/** The audit: the commands of all areas write it, administrators read it. */
export const auditArea: Area = { processes: [], extensions: [], routes: () => [] };

export { audit, auditAll, auditByEach } from './audit.ts';
export type { AuditedFactBy } from './audit.ts';
export { authorizeReading } from './audit.ts';
export type { Reading } from './audit.ts';
export { deleteOldSecurityEvents } from './security-recorder.ts';
export { AuditEventEntity } from './entities.ts';
export { auditCategories, listAuditEvents } from './list-audit-events.ts';
export type { AuditFilter, ListedEvent } from './list-audit-events.ts';
export { SecurityRecorder } from './security-recorder.ts';
