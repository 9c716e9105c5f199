import type { CommandContext } from '../../platform/commands/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import { listNeeding, wakeDependents } from './dependents.ts';
import type { Document } from './entities.ts';
import { documentNotifications } from './notifications.ts';
import { isExpiryDue, nextStatus, transition } from './states.ts';

/**
 * Expires a document after its last day (DOC-1), notifies the owner and wakes the live applications that use it. Does nothing
 * when the expiry is not due. The caller holds the row lock.
 */
export async function expireWhenDue(ctx: CommandContext, document: Locked<Document>, ownerId: number): Promise<void> {
  if (isExpiryDue(document, ctx.now)) await expire(ctx, document, ownerId, 'expire');
}

/**
 * Expires a document whose last day was just corrected to a past day (DOC-6), also one that was returned after that day: its
 * expiry was never announced. A refused document stays refused.
 */
export async function expireWhenOutdated(ctx: CommandContext, document: Locked<Document>, ownerId: number): Promise<void> {
  if (nextStatus(document, 'outdate', ctx.now) !== null) await expire(ctx, document, ownerId, 'outdate');
}

async function expire(ctx: CommandContext, document: Locked<Document>, ownerId: number, action: 'expire' | 'outdate'): Promise<void> {
  const { id, type, expiresAt } = document;
  if (expiresAt === null) return;
  await wakeDependents(ctx, id);
  const applications = await listNeeding(ctx, id);
  const reason = expiryReason(id, expiresAt, applications);
  transition(document, action, ctx.now);
  document.reviewNote = reason;
  document.updatedAt = ctx.now;
  await audit(ctx, 'document.expired', { kind: 'document', id }, { expires_at: expiresAt, applications, reason });
  const facts = { document_type: type, expires_at: expiresAt, applications };
  await notify(ctx, ownerId, documentNotifications['document.expired'], { kind: 'document', id }, facts);
}

/** Names the expired document and the applications that need another. */
function expiryReason(documentId: number, expiresAt: string, applications: readonly number[]): string {
  const expired = `Document ${documentId} expired after ${expiresAt}.`;
  return applications.length === 0 ? expired : `${expired} Linked applications: ${applications.join(', ')}.`;
}
