import { z } from 'zod';
import { dateTimeOut, id, idParam, line, paging } from '../http/schemas.ts';
import { endOfDay, isDay, parseDateTime, startOfDay } from '../platform/date-time.ts';
import { queueKinds, queueStatuses } from './list-queue.ts';

export const queueQuery = z.strictObject({
  kind: z.enum(queueKinds).optional(),
  status: z.enum(queueStatuses).optional().meta({
    description: '`changes` (or its earlier name `rejected`) lists what was returned to its owners instead of what waits for you',
  }),
  q: line(200).optional().meta({ description: 'A part of a name, an IIN or an e-mail, or an id' }),
  ...paging,
});

export const queueShape = z.array(
  z
    .object({
      kind: z.enum(queueKinds),
      id: id.meta({ description: 'Id of the record; of the profile when the kind is `photo`' }),
      status: z.string(),
      title: z.string(),
      waiting_since: dateTimeOut,
      profile_id: id.nullable(),
      owner_id: id.nullable(),
      flags: z.array(z.enum(['duplicate_iin'])).meta({ description: '`duplicate_iin`: another account has a profile with the same IIN' }),
    })
    .meta({ id: 'QueueItem' }),
);

/** A day or an instant; of a day either its first instant or the first after it. */
function bound(side: 'from' | 'to') {
  return z
    .string()
    .max(40)
    .transform((text, context) => {
      if (isDay(text)) return side === 'from' ? startOfDay(text) : endOfDay(text);
      const instant = parseDateTime(text);
      if (instant) return instant;
      context.addIssue({ code: 'custom', message: 'must be a day (YYYY-MM-DD) or an RFC 3339 date-time' });
      return z.NEVER;
    })
    .meta({ wire: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }], examples: ['2026-03-01'] } });
}

export const auditQuery = z.strictObject({
  actor_id: idParam.optional(),
  action: line(80)
    .optional()
    .meta({ examples: ['document.approved'] }),
  subject: z
    .string()
    .max(101)
    .regex(/^[a-z_]{1,40}(\/[^/\s]{1,60})?$/, 'must be kind/id or a kind')
    .optional()
    .meta({ description: '`document/12`, or `document` for all of a kind' }),
  from: bound('from').optional().meta({ description: 'A day or an instant, included' }),
  to: bound('to').optional().meta({ description: 'A day, included, or an instant, not included' }),
  request_id: line(64).optional(),
  ...paging,
});

export const auditShape = z.array(
  z
    .object({
      id,
      action: z.string(),
      actor_id: id.nullable().meta({ description: 'Null when a process or a stranger acted' }),
      impersonated_user_id: id.nullable(),
      subject: z.object({ kind: z.string(), id: z.string() }),
      ip: z.string().nullable(),
      request_id: z.string(),
      at: dateTimeOut,
      data: z.record(z.string(), z.unknown()),
    })
    .meta({ id: 'AuditEvent' }),
);
