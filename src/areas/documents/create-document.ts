import { checkAll, DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { countRows } from '../../platform/database/database.ts';
import { lockForChange } from '../../platform/database/lock.ts';
import { startProcess } from '../../platform/workflows/start-process.ts';
import { audit } from '../audit/index.ts';
import { lockOwnFile } from '../files/index.ts';
import { ProfileEntity, quotaOf } from '../profiles/index.ts';
import { type Document, DocumentEntity } from './entities.ts';
import { documentProcess } from './process.ts';
import { checkDates } from './states.ts';

/** Fields of a document; days are `YYYY-MM-DD`. */
export type DocumentFields = Pick<Document, 'type' | 'fileId' | 'number' | 'country' | 'issuedAt' | 'expiresAt'>;

/**
 * Adds a document to the caller's profile and submits it for review (DOC-4).
 * @throws {DomainError} not_found when the profile or the file is not the caller's; validation_failed when the days do not fit;
 *   quota_exceeded (DOC-9)
 */
export async function createDocument(ctx: CommandContext, profileId: number, fields: DocumentFields): Promise<Readonly<Document>> {
  const ownerId = actingUserId(ctx.actor);
  // Locked until the transaction ends: the profile cannot be deleted meanwhile, and of two documents one takes the last place.
  const profile = await lockForChange(ctx.em, ProfileEntity, { id: profileId });
  if (!profile || profile.ownerId !== ownerId) throw new DomainError('not_found', { field: 'profile_id' });
  await checkAll(
    () => checkDates(fields, ctx.now),
    () => lockOwnFile(ctx, fields.fileId, ownerId),
  );
  const limit = quotaOf(ctx.extensions, 'documents');
  const used = await countRows(ctx.db.selectFrom('documents').where('profileId', '=', profileId));
  if (used >= limit) {
    const message = 'The profile has reached its limit of documents. Change one that no application or registration uses.';
    throw new DomainError('quota_exceeded', { quota: 'documents', used, limit }, message);
  }
  const document = ctx.em.create(DocumentEntity, {
    profileId,
    ...fields,
    status: 'pending',
    reviewNote: null,
    decidedAt: null,
    statusSince: ctx.now,
    remindAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  // The database assigns the id, which the audit and the process need.
  await ctx.em.flush();
  await audit(ctx, 'document.created', { kind: 'document', id: document.id }, { profile_id: profileId, type: fields.type });
  await startProcess(ctx, documentProcess, document);
  return document;
}
