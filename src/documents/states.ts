import { endOfDay } from '../platform/date-time.ts';

export const documentTypes = [
  'identity',
  'passport',
  'driver',
  'medical',
  'consent',
  'organization',
  'insurance_policy',
  'naf_permission',
  'foreign_naf_license',
] as const;
export type DocumentType = (typeof documentTypes)[number];

export const documentStatuses = ['pending', 'approved', 'changes', 'cancelled', 'expired'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];
export type DocumentDecision = 'approve' | 'changes' | 'cancel';

/** What a transition looks at. `decidedAt`: instant of the last decision; `expiresAt`: `YYYY-MM-DD`, the last valid day. */
export interface DocumentState {
  status: DocumentStatus;
  expiresAt: string | null;
  decidedAt: Date | null;
}

const statusOfDecision = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const satisfies Record<
  DocumentDecision,
  DocumentStatus
>;

/** A document is valid through the day it expires at (UTC+5), and has lapsed from the first instant after it. */
export function hasLapsed(document: Pick<DocumentState, 'expiresAt'>, now: Date): boolean {
  return document.expiresAt !== null && now >= endOfDay(document.expiresAt);
}

/**
 * The state a decision leads to, from any state (service.md "Document"); null when it is refused: what has lapsed cannot be
 * approved, whether or not the process has marked it so already.
 */
export function decide(document: DocumentState, decision: DocumentDecision, now: Date): DocumentStatus | null {
  if (decision === 'approve' && hasLapsed(document, now)) return null;
  return statusOfDecision[decision];
}

/** The state that a change by the owner leads to: whatever was decided, it is looked at anew (service.md "Document"). */
export const statusAfterChange: DocumentStatus = 'pending';

/**
 * The instant at which the document becomes `expired` by itself; null when it never does. A document returned after it had
 * lapsed keeps that decision: its lapse was told already.
 */
export function expiryInstant(document: DocumentState): Date | null {
  if (document.expiresAt === null) return null;
  const instant = endOfDay(document.expiresAt);
  switch (document.status) {
    case 'pending':
    case 'approved':
      return instant;
    case 'changes':
      return document.decidedAt !== null && document.decidedAt >= instant ? null : instant;
    case 'cancelled':
    case 'expired':
      return null;
  }
}

/** Whether the document has to be marked `expired` now. */
export function isExpiryDue(document: DocumentState, now: Date): boolean {
  const instant = expiryInstant(document);
  return instant !== null && now >= instant;
}
