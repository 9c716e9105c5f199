import type { z } from 'zod';
import { assertNever } from '../errors.ts';
import type { TimelineStep } from '../http/schemas.ts';
import { formatDateTime, formatVersion } from '../platform/date-time.ts';
import type { Document } from './entities.ts';
import type { DocumentFact, DocumentView } from './queries.ts';
import type { documentDetailResponse, documentResponse } from './schemas.ts';

/** A document for its owner and for administrators. */
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
 * The same with the decisions and the uses.
 * @param usedBy applications that are no drafts; while there are any, the document cannot be changed (decisions.md §3 "Unused")
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

/** The process as a person would tell it; nobody is named (decisions.md §9). */
export function presentTimeline(facts: readonly DocumentFact[], document: Readonly<Document>): TimelineStep[] {
  return facts.map((fact, index) => {
    const { waiting_for, ...told } = tell(fact, document);
    return { at: formatDateTime(fact.at), ...told, waiting_for: index === facts.length - 1 ? waiting_for : null };
  });
}

/** `waiting_for`: whose move it is after this step. */
function tell({ what, note }: DocumentFact, document: Readonly<Document>): Omit<TimelineStep, 'at'> {
  const because = note === null ? '' : ` Note: ${note}`;
  switch (what) {
    case 'created':
      return { step: 'created', text: 'The document was added and waits for its review.', actor: 'owner', waiting_for: 'administrator' };
    case 'updated':
      return {
        step: 'updated',
        text: 'The document was changed and waits for its review again.',
        actor: 'owner',
        waiting_for: 'administrator',
      };
    case 'corrected':
      return {
        step: 'corrected',
        text: 'The federation corrected what the document says; its review stays as it is.',
        actor: 'administrator',
        waiting_for: waitingAfterCorrection(document),
      };
    case 'file_deleted':
      return { step: 'file_deleted', text: 'Its file was deleted; another one is needed.', actor: 'owner', waiting_for: 'owner' };
    case 'approve':
      return {
        step: 'approved',
        text: `The document was approved.${because}`,
        actor: 'administrator',
        waiting_for: document.expiresAt === null ? null : 'date',
      };
    case 'changes':
      return { step: 'changes', text: `The document was returned for correction.${because}`, actor: 'administrator', waiting_for: 'owner' };
    case 'cancel':
      return { step: 'cancelled', text: `The document was refused.${because}`, actor: 'administrator', waiting_for: null };
    case 'reminded':
      return { step: 'reminded', text: 'The owner was reminded that its last day is near.', actor: 'system', waiting_for: 'date' };
    case 'expired':
      return { step: 'expired', text: note ?? 'The document expired.', actor: 'system', waiting_for: 'owner' };
    default:
      return assertNever(what);
  }
}

/** A correction moves a document nowhere: it waits for whom it waited before. */
function waitingAfterCorrection({ status, expiresAt }: Readonly<Document>): TimelineStep['waiting_for'] {
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
