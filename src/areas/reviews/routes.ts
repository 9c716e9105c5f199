import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { ok } from '../../http/response/reply.ts';
import { dateTimeResponse, id, idParams, note, subjectResponse } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { Incident } from './entities.ts';
import { resolveIncident } from './resolve-incident.ts';

const resolutionBody = z
  .strictObject({ reason: note.describe('How the incident was resolved, 5-3000 characters') })
  .meta({ id: 'IncidentResolution' });

const incidentResponse = z
  .object({
    id,
    kind: z
      .enum(['bank_mismatch', 'late_payment', 'mail_undeliverable'])
      .describe('`bank_mismatch`: the bank reports another payment than the invoice has; `late_payment`: paid after the expiry or failure'),
    subject: subjectResponse.describe('The record with the problem'),
    details: z.record(z.string(), z.unknown()).describe('Numbers and ids for the administrator'),
    at: dateTimeResponse,
    resolved_at: dateTimeResponse.nullable(),
    resolved_by: id.nullable().describe('The administrator who resolved it'),
    resolution: z.string().nullable().describe('How it was resolved; null while it is open'),
    transaction_id: id.nullable().describe('The ledger correction or reversal that resolved it'),
  })
  .meta({ id: 'Incident' });

function presentIncident(incident: Readonly<Incident>): z.input<typeof incidentResponse> {
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

/** Routes for incidents (REV-4). */
export const incidentRoutes: Route[] = [
  defineRoute({
    name: 'getIncident',
    method: 'GET',
    path: '/admin/incidents/:id',
    access: access.administrator('admin:read'),
    tag: 'Administration',
    summary: 'Get an incident',
    description: 'Open or resolved. `details` has ids and numbers, no personal data, so the read is not audited.',
    request: { params: idParams },
    response: { data: incidentResponse },
    handler: ({ platform, params }) =>
      query(platform, async (db) => {
        const incident = await db.selectFrom('incidents').selectAll().where('id', '=', params.id).executeTakeFirst();
        if (!incident) throw new DomainError('not_found');
        return ok(presentIncident(incident));
      }),
  }),
  defineRoute({
    name: 'resolveIncident',
    method: 'POST',
    path: '/admin/incidents/:id/resolve',
    access: access.administrator('admin:write'),
    tag: 'Administration',
    summary: 'Resolve an incident',
    description:
      'Removes the incident from the queue. An incident that is already resolved does not change. If money must move, send the incident with the ledger correction or reversal instead: it resolves the incident in the same transaction.',
    request: { params: idParams, body: resolutionBody, example: { reason: 'The bank confirmed the payment.' } },
    response: { data: incidentResponse },
    handler: async ({ params, body, caller, platform }) =>
      ok(await commit(platform, caller, async (ctx) => presentIncident(await resolveIncident(ctx, params.id, body)))),
  }),
];
