import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { Incident } from './entities.ts';
import type { incidentResponse } from './schemas.ts';

export function presentIncident(incident: Readonly<Incident>): z.input<typeof incidentResponse> {
  return {
    id: incident.id,
    kind: incident.kind,
    subject: { kind: incident.subjectKind, id: incident.subjectId },
    details: incident.details,
    at: formatDateTime(incident.at),
    resolved_at: incident.resolvedAt && formatDateTime(incident.resolvedAt),
    resolved_by: incident.resolvedBy,
    resolution: incident.resolution,
    transaction_id: incident.transactionId,
  };
}
