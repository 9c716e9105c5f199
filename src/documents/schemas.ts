import { z } from 'zod';
import { documentTypes } from '../catalog/index.ts';
import { dateTimeResponse, day, dayResponse, id, pastDay, processResponse, readVersion, uuid, versionResponse } from '../http/schemas.ts';
import { countryCodes } from '../platform/country-codes.ts';
import { decisions } from '../reviews/index.ts';
import { documentStatuses } from './states.ts';

/** Letters of the passports in use here: Latin with its accents, Cyrillic with the Kazakh letters; digits; the separators printed between them. */
const documentNumber = z
  .string()
  .trim()
  .max(100)
  .regex(/^[0-9A-Za-zÀ-ɏЀ-ӿ№][0-9A-Za-zÀ-ɏЀ-ӿ№ ./-]*$/, 'may hold letters, digits, spaces and . / - №')
  .meta({
    description: 'Number printed on the document; a foreign passport may have letters in it, the IIN is not required',
    examples: ['N12345678'],
  });

const country = z.enum(countryCodes).meta({ description: 'Country that issued the document, ISO 3166-1 alpha-2', examples: ['KZ'] });

const type = z.enum(documentTypes).meta({ description: '`identity` and `passport` both satisfy the requirement "identity document"' });
const fileId = uuid.meta({ description: 'A file of yours, uploaded with POST /files' });
const issuedAt = pastDay.meta({ description: 'Day of issue; not in the future, not after `expires_at`', format: 'date' });
const expiresAt = day.meta({ description: 'Last day on which the document is valid (UTC+5); must not have passed', format: 'date' });

export const createDocumentBody = z
  .strictObject({
    profile_id: id.meta({ description: 'A profile of yours' }),
    type,
    file_id: fileId,
    number: documentNumber.nullable().optional(),
    country: country.nullable().optional(),
    issued_at: issuedAt.nullable().optional(),
    expires_at: expiresAt.nullable().optional(),
  })
  .meta({ id: 'NewDocument' });

/** Fields that are left out stay as they are; null clears a field. */
export const updateDocumentBody = z
  .strictObject({
    type: type.optional(),
    file_id: fileId.optional(),
    number: documentNumber.nullable().optional(),
    country: country.nullable().optional(),
    issued_at: issuedAt.nullable().optional(),
    expires_at: expiresAt.nullable().optional(),
  })
  .meta({ id: 'DocumentChanges' });

/** What an administrator corrects of a document, by the version that he has read; its scan and its status stay. */
export const correctDocumentBody = z
  .strictObject({
    type: type.optional().meta({ description: 'Stays while the document is linked to an active application or stands in a registration' }),
    number: documentNumber.nullable().optional(),
    country: country.nullable().optional(),
    issued_at: issuedAt.nullable().optional(),
    expires_at: day
      .nullable()
      .optional()
      .meta({ description: 'Last day on which the document is valid (UTC+5); one that has passed expires it at once', format: 'date' }),
    updated_at: readVersion,
  })
  .meta({ id: 'DocumentCorrection' });

/** The same fields as the private words of the step: they stay in the database, and only their id travels through Temporal. */
export const correctionWords = z.object({
  changes: z.object({
    type: z.enum(documentTypes).optional(),
    number: z.string().nullable().optional(),
    country: z.string().nullable().optional(),
    issuedAt: z.string().nullable().optional(),
    expiresAt: z.string().nullable().optional(),
  }),
});

/** A document as lists show it; `GET /profiles/{id}` has these. */
export const documentResponse = z
  .object({
    id,
    profile_id: id,
    type: z.enum(documentTypes),
    file_id: uuid,
    number: z.string().nullable(),
    country: z.string().nullable(),
    issued_at: dayResponse.nullable(),
    expires_at: dayResponse.nullable(),
    status: z.enum(documentStatuses),
    review_note: z.string().nullable().meta({ description: 'Reason of the last decision or of the expiry; null once approved or changed' }),
    decided_at: dateTimeResponse.nullable(),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
  })
  .meta({ id: 'Document' });

export const documentDetailResponse = documentResponse
  .extend({
    history: z
      .array(z.object({ decision: z.enum(decisions), note: z.string().nullable(), at: dateTimeResponse }))
      .meta({ description: 'Every decision of an administrator, oldest first' }),
    used_by: z
      .array(id)
      .meta({ description: 'Applications, drafts aside, that the document is attached to; while there are any it cannot be changed' }),
    process: processResponse.optional().meta({ description: 'How the process stands; for administrators only' }),
  })
  .meta({ id: 'DocumentDetail' });
