import { z } from 'zod';
import { assertNever } from '../../errors.ts';
import {
  dateTimeResponse,
  day,
  dayResponse,
  id,
  pastDay,
  processResponse,
  readVersion,
  type TimelineStep,
  uuid,
  versionResponse,
} from '../../http/schemas.ts';
import { countryCodes } from '../../platform/country-codes.ts';
import { formatDateTime, formatVersion } from '../../platform/time/date-time.ts';
import { documentTypes } from '../catalog/index.ts';
import { decisionResponse } from '../reviews/index.ts';
import type { Document } from './entities.ts';
import type { DocumentFact, DocumentView } from './queries.ts';
import { documentStatuses } from './states.ts';

/** Characters of passports: Latin with accents, Cyrillic with the Kazakh letters, digits, and printed separators. */
const documentNumber = z
  .string()
  .trim()
  .max(100)
  .regex(/^[0-9A-Za-zÀ-ɏЀ-ӿ№][0-9A-Za-zÀ-ɏЀ-ӿ№ ./-]*$/, 'may hold letters, digits, spaces and . / - №')
  .meta({
    description: 'Number printed on the document, letters included; not the IIN',
    examples: ['N12345678'],
  });

const country = z.enum(countryCodes).meta({ description: 'Country that issued the document, ISO 3166-1 alpha-2', examples: ['KZ'] });

export const documentStatus = z
  .enum(documentStatuses)
  .describe('`pending`: in review; `changes`: returned to the owner; `cancelled`: refused; `expired`: its `expires_at` has passed');
export const documentType = z.enum(documentTypes).describe('`identity` and `passport` both satisfy the requirement "identity document"');
const fileId = uuid.describe('Id of an own file, uploaded with POST /files');
const issuedAt = pastDay.meta({ description: 'Day of issue; not in the future, not after `expires_at`', format: 'date' });
const expiresAt = day.meta({ description: 'Last day on which the document is valid (UTC+5); must not have passed', format: 'date' });

const optionalFields = {
  number: documentNumber.nullable().optional(),
  country: country.nullable().optional(),
  issued_at: issuedAt.nullable().optional(),
  expires_at: expiresAt.nullable().optional(),
};

export const createDocumentBody = z
  .strictObject({ profile_id: id.describe('Id of an own profile'), type: documentType, file_id: fileId, ...optionalFields })
  .meta({ id: 'NewDocument' });

/** Omitted fields stay; null clears a field. */
export const updateDocumentBody = z
  .strictObject({ type: documentType.optional(), file_id: fileId.optional(), ...optionalFields })
  .meta({ id: 'DocumentChanges' });

/** An administrator's correction, with the version that they have read (DOC-6). */
export const correctDocumentBody = z
  .strictObject({
    type: documentType.optional().describe('Cannot be changed while an active application or a registration uses the document'),
    ...optionalFields,
    expires_at: day
      .nullable()
      .optional()
      .meta({ description: 'Last day on which the document is valid (UTC+5); a past day expires the document at once', format: 'date' }),
    updated_at: readVersion,
  })
  .meta({ id: 'DocumentCorrection' });

/** The same fields as private input of the command: they stay in the database, Temporal receives only their id. */
export const correctionInput = z.object({
  changes: z.object({
    type: z.enum(documentTypes).optional(),
    number: z.string().nullable().optional(),
    country: z.string().nullable().optional(),
    issuedAt: z.string().nullable().optional(),
    expiresAt: z.string().nullable().optional(),
  }),
});

export const printedNumber = z.string().nullable().describe('Number printed on the document');

/** A document in a list, such as in `GET /profiles/{id}`. */
export const documentResponse = z
  .object({
    id,
    profile_id: id,
    type: documentType,
    file_id: uuid,
    number: printedNumber,
    country: z.string().nullable().describe('Country that issued it, ISO 3166-1 alpha-2'),
    issued_at: dayResponse.nullable(),
    expires_at: dayResponse.nullable(),
    status: documentStatus,
    review_note: z.string().nullable().describe('Reason of the last decision or of the expiry; null after an approval or a change'),
    decided_at: dateTimeResponse.nullable(),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
  })
  .meta({ id: 'Document' });

export const documentDetailResponse = documentResponse
  .extend({
    history: z
      .array(z.object({ decision: decisionResponse, note: z.string().nullable(), at: dateTimeResponse }))
      .describe('Every decision of an administrator, oldest first'),
    used_by: z.array(id).describe('Applications, except drafts, that use the document; while there are any, it cannot be changed'),
    process: processResponse.optional().describe('State of the process; for administrators only'),
  })
  .meta({ id: 'DocumentDetail' });

/** Presents a document to its owner and to administrators. */
export function presentDocument(document: Readonly<Document>): z.input<typeof documentResponse> {
  return {
    id: document.id,
    profile_id: document.profileId,
    type: document.type,
    file_id: document.fileId,
    number: document.number,
    country: document.country,
    issued_at: document.issuedAt,
    expires_at: document.expiresAt,
    status: document.status,
    review_note: document.reviewNote,
    decided_at: document.decidedAt === null ? null : formatDateTime(document.decidedAt),
    created_at: formatDateTime(document.createdAt),
    updated_at: formatVersion(document.updatedAt),
  };
}

/**
 * Presents a document with its decisions and uses.
 * @param usedBy applications that are not drafts: they prevent a change of the document (DOC-3)
 */
export function presentDocumentView(
  { document, history }: DocumentView,
  usedBy: readonly number[],
): z.input<typeof documentDetailResponse> {
  return {
    ...presentDocument(document),
    history: history.map(({ decision, note, at }) => ({ decision, note, at: formatDateTime(new Date(at)) })),
    used_by: [...usedBy],
  };
}

/** Presents the process as readable steps, without names of people. */
export function presentTimeline(facts: readonly DocumentFact[], document: Readonly<Document>): TimelineStep[] {
  return facts.map(({ what, note, at }, index) => {
    const { step = what, text, actor } = steps[what];
    return {
      at: formatDateTime(at),
      step,
      // The note of an expiry is its whole text.
      text: note === null ? text : what === 'expired' ? note : `${text} Note: ${note}`,
      actor,
      waiting_for: index === facts.length - 1 ? waitingFor(document) : null,
    };
  });
}

const steps: Record<DocumentFact['what'], { step?: string; text: string; actor: TimelineStep['actor'] }> = {
  created: { text: 'The document was added and waits for a review.', actor: 'owner' },
  updated: { text: 'The document was changed and waits for a new review.', actor: 'owner' },
  corrected: { text: 'The federation corrected the data of the document. Its review did not change.', actor: 'administrator' },
  file_deleted: { text: 'The file was deleted. Attach a new file.', actor: 'owner' },
  approve: { step: 'approved', text: 'The document was approved.', actor: 'administrator' },
  changes: { text: 'The document was returned for correction.', actor: 'administrator' },
  cancel: { step: 'cancelled', text: 'The document was refused.', actor: 'administrator' },
  reminded: { text: 'The owner was reminded of the last day of the document.', actor: 'system' },
  expired: { text: 'The document expired.', actor: 'system' },
};

function waitingFor({ status, expiresAt }: Readonly<Document>): TimelineStep['waiting_for'] {
  switch (status) {
    case 'pending':
      return 'administrator';
    case 'changes':
    case 'expired':
      return 'owner';
    case 'approved':
      return expiresAt === null ? null : 'date';
    case 'cancelled':
      return null;
    default:
      return assertNever(status);
  }
}
