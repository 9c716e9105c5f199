import { audit } from '../administration/audit.ts';
import { checkAll, DomainError } from '../errors.ts';
import { lockOwnFile } from '../files/index.ts';
import { actingUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { ProfileEntity } from '../profiles/entities.ts';
import { checkDates } from './check-dates.ts';
import { DocumentEntity } from './entities.ts';
import type { Document } from './entities.ts';
import type { DocumentType } from './states.ts';
import { lockById } from '../platform/database/load.ts';

/** What a document says of itself; days are `YYYY-MM-DD`. */
export interface DocumentFields {
  type: DocumentType;
  fileId: string;
  number: string | null;
  country: string | null;
  issuedAt: string | null;
  expiresAt: string | null;
}

/**
 * Adds a document to a profile of the caller's and puts it before an administrator (service.md "Document").
 * @throws {DomainError} not_found when the profile or the file is not the caller's; validation_failed when the days do not fit
 */
export async function createDocument(ctx: CommandContext, profileId: number, fields: DocumentFields): Promise<Document> {
  const ownerId = actingUserId(ctx.actor);
  // Held until the end, so that the profile cannot be deleted meanwhile.
  const profile = await lockById(ctx.em, ProfileEntity, profileId, 'for share');
  if (!profile || profile.ownerId !== ownerId) throw new DomainError('not_found', { field: 'profile_id' });
  await checkAll(
    () => checkDates(fields, ctx.now),
    () => lockOwnFile(ctx, fields.fileId, ownerId),
  );
  const document = ctx.em.create(DocumentEntity, {
    profileId,
    ...fields,
    status: 'pending',
    reviewNote: null,
    decidedAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  // The journal and the process are named by the id, which the database gives.
  await ctx.em.flush();
  audit(ctx, 'document.created', { kind: 'document', id: document.id }, { profile_id: profileId, type: fields.type });
  ctx.touch(processRef('document', document.id));
  return document;
}
