import type { ProcessView } from '../../workflows/process.contract.ts';
import type { CommandContext } from '../platform/context.ts';
import { assertNever } from '../errors.ts';
import type { Document } from './entities.ts';
import { findDocument } from './queries.ts';
import { expiryInstant, isExpiryDue } from './states.ts';

/** How the process of a document stands (design.md "Processes"): read in the transaction of the step before. */
export async function viewDocument(ctx: Pick<CommandContext, 'em' | 'now'>, documentId: number): Promise<ProcessView> {
  const document = await findDocument(ctx.em, documentId);
  return document ? viewOfDocument(document, ctx.now) : absent(documentId);
}

/** The same, or null when its last day has passed and the process must mark that first. */
export async function viewDocumentUnlessDue(ctx: Pick<CommandContext, 'em' | 'now'>, documentId: number): Promise<ProcessView | null> {
  const document = await findDocument(ctx.em, documentId);
  if (!document) return absent(documentId);
  return isExpiryDue(document, ctx.now) ? null : viewOfDocument(document, ctx.now);
}

function absent(documentId: number): ProcessView {
  return { stage: 'absent', waitingFor: 'nobody', details: `There is no document ${documentId}.`, isOver: true, wakeAfterMs: null };
}

/** The same for a row at hand. */
export function viewOfDocument(document: Document, now: Date): ProcessView {
  const expiry = expiryInstant(document);
  const wakeAfterMs = expiry === null ? null : Math.max(0, expiry.getTime() - now.getTime());
  const about = `document ${document.id} (${document.type}) of profile ${document.profileId}`;
  const validity = document.expiresAt === null ? 'It has no last day.' : `Its last day is ${document.expiresAt}.`;
  const view = { stage: document.status, wakeAfterMs, isOver: false };
  switch (document.status) {
    case 'pending':
      return { ...view, waitingFor: 'administrator', details: `Waits for an administrator to review ${about}. ${validity}` };
    case 'changes':
      return { ...view, waitingFor: 'owner', details: `Waits for the owner to correct or replace ${about}. ${validity}` };
    case 'approved':
      return expiry === null
        ? { ...view, waitingFor: 'nobody', details: `Approved: ${about}. ${validity}`, isOver: true }
        : { ...view, waitingFor: 'date', details: `Approved: ${about}. Waits for its last day to pass: ${document.expiresAt}.` };
    case 'cancelled':
      return { ...view, waitingFor: 'nobody', details: `Refused: ${about}.`, isOver: true };
    case 'expired':
      return { ...view, waitingFor: 'nobody', details: `Expired: ${about}. ${validity}`, isOver: true };
    default:
      return assertNever(document.status);
  }
}
