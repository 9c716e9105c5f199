import { z } from 'zod';
import { boundary, dateTimeResponse, id, idParam, line, paging, subjectResponse } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { auditCategories } from '../../audit/index.ts';
import { exportShape } from '../export-file.ts';
import type { NamedEvent } from './name-actors.ts';

const auditCategory = z.enum(auditCategories).describe('`action`: the audit; `security`: refusals that may indicate an attack');

const filters = {
  actor_id: idParam.optional(),
  action: line(80)
    .optional()
    .meta({ examples: ['document.approved'] }),
  subject: z
    .string()
    .max(101)
    .regex(/^[a-z_]{1,40}(\/[^/\s]{1,60})?$/, 'must be kind/id or a kind')
    .optional()
    .meta({ description: '`document/12`, or `document` for all records of a kind', examples: ['document/12'] }),
  category: auditCategory.optional(),
  from: boundary('from').optional().describe('A day or an instant, inclusive'),
  to: boundary('to').optional().describe('A day, inclusive, or an instant, exclusive'),
  request_id: line(64)
    .optional()
    .meta({ description: 'Of one request', examples: ['3f0c6f0e-8f0b-4f6e-9d0e-6d2f1c1b7a55'] }),
};

export const auditQuery = z.strictObject({ ...filters, ...paging });

export const auditExportQuery = z.strictObject({ ...exportShape, ...filters });

export const auditResponse = z.array(
  z
    .object({
      id: z.int().min(1).describe('Unique within its category'),
      category: auditCategory,
      action: z.string().meta({ description: 'What was done', examples: ['document.approved'] }),
      actor_id: id.nullable().describe('Null for a process or an anonymous caller'),
      actor_name: z.string().nullable().describe('Present name of the account; null without one'),
      impersonated_user_id: id.nullable().describe('The account in which an administrator acted; null without an impersonation'),
      impersonated_user_name: z.string().nullable().describe('Present name of that account; null without one'),
      subject: subjectResponse.describe('The record that was changed or read'),
      ip: z.string().nullable().describe('Client address; null for a process'),
      request_id: z.string(),
      at: dateTimeResponse,
      data: z.record(z.string(), z.unknown()).describe('Facts of the action, by its kind'),
    })
    .meta({ id: 'AuditEvent' }),
);

export function presentAuditEvent(event: Readonly<NamedEvent>): z.input<typeof auditResponse>[number] {
  return {
    id: event.id,
    category: event.category,
    action: event.action,
    actor_id: event.actorId,
    actor_name: event.actorName,
    impersonated_user_id: event.impersonatedUserId,
    impersonated_user_name: event.impersonatedUserName,
    subject: { kind: event.subjectKind, id: event.subjectId },
    ip: event.ip,
    request_id: event.requestId,
    at: formatDateTime(event.at),
    data: event.data,
  };
}
