import type { z } from 'zod';
import { formatDateTime } from '../platform/date-time.ts';
import type { additionalDocumentResponse } from './additional-document-schemas.ts';
import type { AdditionalDocument } from './entities.ts';

/** An additional document for the organizer and for administrators. */
export function presentAdditionalDocument(document: Readonly<AdditionalDocument>): z.input<typeof additionalDocumentResponse> {
  return {
    document_id: document.id,
    event_id: document.eventId,
    title: document.title,
    kind: document.kind,
    file_id: document.fileId,
    status: document.status,
    review_note: document.reviewNote,
    decided_at: document.decidedAt === null ? null : formatDateTime(document.decidedAt),
    created_at: formatDateTime(document.createdAt),
  };
}
