import { z } from 'zod';
import { dateTimeResponse, id, idParam, line, uuid, versionResponse } from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
import type { AdditionalDocument } from '../entities.ts';
import { additionalDocumentKinds, additionalDocumentStatuses } from '../events/states.ts';

const title = line(200).meta({ description: 'Shown in the public calendar', examples: ['Bulletin 1'] });
export const additionalDocumentKind = z.enum(additionalDocumentKinds).describe('Shown in the public calendar');

export const additionalDocumentParams = z.strictObject({ id: idParam, document_id: idParam });

export const newAdditionalDocumentBody = z
  .strictObject({
    file_id: uuid.describe('Id of an own PDF or image, uploaded with POST /files'),
    title,
    kind: additionalDocumentKind,
  })
  .meta({ id: 'NewAdditionalDocument' });

export const additionalDocumentResponse = z
  .object({
    document_id: id,
    event_id: id,
    title,
    kind: additionalDocumentKind,
    file_id: uuid,
    status: z.enum(additionalDocumentStatuses).describe('An `approved` document is public while the event is'),
    review_note: z.string().nullable().describe('Note of the last decision; null after approval'),
    decided_at: dateTimeResponse.nullable(),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
  })
  .meta({ id: 'AdditionalDocument' });

export function presentAdditionalDocument(document: Readonly<AdditionalDocument>): z.input<typeof additionalDocumentResponse> {
  return {
    document_id: document.id,
    event_id: document.eventId,
    title: document.title,
    kind: document.kind,
    file_id: document.fileId,
    status: document.status,
    review_note: document.reviewNote,
    decided_at: formatDateTime(document.decidedAt),
    created_at: formatDateTime(document.createdAt),
    updated_at: formatVersion(document.updatedAt),
  };
}
