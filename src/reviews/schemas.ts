import { z } from 'zod';
import { dateTimeResponse, id, note } from '../http/schemas.ts';

export const resolutionBody = z
  .strictObject({ reason: note.meta({ description: 'How it was settled, 5-3000 characters' }) })
  .meta({ id: 'IncidentResolution' });

export const incidentResponse = z
  .object({
    id,
    kind: z.enum(['bank_mismatch', 'late_payment', 'mail_undeliverable']),
    subject: z.object({ kind: z.string(), id: z.string() }),
    details: z.record(z.string(), z.unknown()).meta({ description: 'Numbers and ids that help whoever looks into it' }),
    at: dateTimeResponse,
    resolved_at: dateTimeResponse.nullable(),
    resolved_by: id.nullable().meta({ description: 'The administrator who settled it' }),
    resolution: z.string().nullable(),
    transaction_id: id.nullable().meta({ description: 'The correction or reversal in the ledger that settled it' }),
  })
  .meta({ id: 'Incident' });
