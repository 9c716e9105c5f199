import { z } from 'zod';
import { documentTypes } from '../catalog/index.ts';
import { fileMimes } from '../files/index.ts';
import { dateTimeResponse, day, dayResponse, localizedText } from '../http/schemas.ts';
import { verificationStates } from './validity.ts';

export const tokenParams = z.strictObject({
  token: z.string().meta({ description: 'From the QR: 43 characters', examples: ['vJ0t6tYgkVt1m0lqkq0wPZ1q0gq1m7m7y6oJ3b4c5d6'] }),
});
export const verificationQuery = z.strictObject({
  on: day.optional().meta({ description: 'The day to answer for, in UTC+5; now when it is left out', format: 'date' }),
});

const kind = z.enum(['national_certificate', 'international_licence', 'document', 'event_fee']);

export const verificationResponse = z
  .object({
    valid: z.boolean().meta({ description: 'The only indicator of validity' }),
    state: z.enum(verificationStates).meta({
      description:
        'Why: everything but `valid` is not in force. `under_correction`: something behind it was returned or has expired, or documents were replaced and the application is not submitted again yet',
    }),
    kind,
    number: z.string(),
    valid_from: dayResponse,
    valid_until: dayResponse,
    documents_access: z.boolean().meta({ description: 'International licence: whether its owner lets the documents be seen separately' }),
    checked_at: dateTimeResponse,
  })
  .meta({ id: 'Verification' });

export const sharedDocumentsResponse = z
  .object({
    number: z.string(),
    holder_name: z.string().meta({ description: 'As on the licence' }),
    category: z.string().nullable(),
    service: localizedText,
    discipline: localizedText.nullable(),
    valid_from: dayResponse,
    valid_until: dayResponse,
    checked_at: dateTimeResponse,
    documents: z.array(
      z.object({
        type: z.enum(documentTypes),
        issued_at: dayResponse.nullable(),
        expires_at: dayResponse.nullable(),
        content_type: z.enum(fileMimes),
        url: z.string().meta({ format: 'uri', description: 'Status and consent are tested again at every opening' }),
      }),
    ),
  })
  .meta({ id: 'SharedDocuments' });

export const sharedFileParams = tokenParams.extend({
  n: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a position, from 1')
    .transform(Number)
    .meta({ wire: { type: 'integer', minimum: 1, maximum: 999, description: 'Position in the list of documents' } }),
});
