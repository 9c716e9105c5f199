import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { requireVersion } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { requireNotErased } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import { notify } from '../notifications/index.ts';
import { recordNotifications } from '../profiles/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { listLinks, usesByKind, wakeDependents } from './dependents.ts';
import type { Document } from './entities.ts';
import { expireWhenOutdated } from './expire-document.ts';
import { lockDocument } from './queries.ts';
import { checkIssue, setReminder } from './states.ts';

export interface DocumentCorrection {
  /** `updated_at` of the version that the administrator has read, an ISO 8601 instant. */
  updatedAt: string;
  changes: CorrectedFields;
}

/** Fields of a document except its scan; omitted fields stay. Days are `YYYY-MM-DD`. */
export interface CorrectedFields {
  type?: DocumentType | undefined;
  number?: string | null | undefined;
  country?: string | null | undefined;
  issuedAt?: string | null | undefined;
  expiresAt?: string | null | undefined;
}

/**
 * Corrects the fields of a document for an administrator (DOC-6).
 *
 * Scan and review stay. A last day in the past expires the document at once. The type stays while an active application or a
 * registration uses the document. A correction that changes nothing writes nothing.
 * @throws {DomainError} forbidden; not_found; stale_revision; invalid_state for an erased account; document_in_use with its uses;
 *   validation_failed when the days do not fit
 */
export async function correctDocument(
  ctx: CommandContext,
  documentId: number,
  { updatedAt, changes }: DocumentCorrection,
): Promise<Readonly<Document>> {
  requireAdministrator(ctx);
  const { document, ownerId } = await lockDocument(ctx, documentId);
  await requireNotErased(ctx, ownerId);
  requireVersion(document, new Date(updatedAt));
  const names = changedNames(document, changes);
  if (names.length === 0) return document;
  if (names.includes('type')) await requireTypeFree(ctx, documentId);
  const { issuedAt = document.issuedAt, expiresAt = document.expiresAt } = changes;
  checkIssue({ issuedAt, expiresAt }, ctx.now);

  Object.assign(document, Object.fromEntries(names.map((name) => [name, changes[name]])));
  document.updatedAt = ctx.now;
  const subject = { kind: 'document', id: documentId };
  const changed = names.map((name) => wireNames[name]);
  await audit(ctx, 'document.corrected', subject, { changed });
  await notify(ctx, ownerId, recordNotifications['record.corrected'], subject, { record: 'document', fields: changed });
  if (names.includes('expiresAt')) {
    setReminder(document, ctx.now);
    await expireWhenOutdated(ctx, document, ownerId);
  }
  ctx.wake(processRef('document', documentId));
  await wakeDependents(ctx, documentId);
  return document;
}

const wireNames = {
  type: 'type',
  number: 'number',
  country: 'country',
  issuedAt: 'issued_at',
  expiresAt: 'expires_at',
} as const satisfies Record<keyof CorrectedFields, string>;
const fields = ['type', 'number', 'country', 'issuedAt', 'expiresAt'] as const;

function changedNames(document: Readonly<Document>, changes: CorrectedFields): (typeof fields)[number][] {
  return fields.filter((name) => changes[name] !== undefined && changes[name] !== document[name]);
}

/** Drafts count too: an application is active unless it is cancelled or closed (DOC-6). */
async function requireTypeFree(ctx: CommandContext, documentId: number): Promise<void> {
  const links = await listLinks(ctx, documentId);
  if (links.length === 0) return;
  const message = 'The type cannot be changed while an active application or a registration uses the document.';
  throw new DomainError('document_in_use', usesByKind(links), message);
}
