import { sql } from 'kysely';
import { checkAll, DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext } from '../../../platform/commands/context.ts';
import { json } from '../../../platform/database/database.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { StoredFileEntity } from '../../files/index.ts';
import type { SigningLayout } from '../entities.ts';
import { type MarkFile, requireMarkFile } from './examine-mark.ts';
import type { Mark } from './mark-place.ts';
import { findCurrentSigning, type Signing } from './find-signing.ts';

export interface SigningFields {
  signerName: string;
  signerPosition: string;
  signatureFileId: string;
  stampFileId: string;
  layout: SigningLayout;
}

/**
 * Sets signer, marks and layout of new agreements (AGR-8).
 *
 * Each change is a new row; agreements keep theirs. Unchanged values write nothing. Concurrent changes are serialized and the last one
 * applies. Call `examineMark` on the images first.
 * @returns id of the current setting
 * @throws {DomainError} validation_failed at the field of an image
 */
export async function setSigning(ctx: CommandContext, given: SigningFields): Promise<number> {
  const actorId = accountableUserId(ctx.actor);
  if (actorId === null) throw new DomainError('forbidden');
  // An advisory lock, because the first setting has no row to lock. Taken before the files.
  await sql`select pg_advisory_xact_lock(hashtextextended('federation_signing', 0))`.execute(ctx.db);
  const current = await findCurrentSigning(ctx.db);
  const [signature, stamp] = await checkAll(
    () => holdMark(ctx, 'signature', given.signatureFileId, actorId),
    () => holdMark(ctx, 'stamp', given.stampFileId, actorId),
  );
  // Ids as stored: a client may send them in another case (API-8).
  const fields = { ...given, signatureFileId: signature.id, stampFileId: stamp.id };
  const changed = changedFields(current, fields);
  if (current && changed.length === 0) return current.id;
  const { layout, ...others } = fields;
  const { id } = await ctx.db
    .insertInto('federation_signings')
    .values({ ...others, layout: json(layout), actorId, createdAt: ctx.now })
    .returning('id')
    .executeTakeFirstOrThrow();
  await audit(
    ctx,
    current === null ? 'federation_signing.created' : 'federation_signing.updated',
    { kind: 'federation_signing', id },
    { signature_sha256: signature.sha256, stamp_sha256: stamp.sha256, changed },
  );
  return id;
}

/** Locks the file against deletion until the new setting, which keeps it, is committed. */
async function holdMark(ctx: CommandContext, mark: Mark, fileId: string, actorId: number): Promise<MarkFile> {
  await holdUnchanged(ctx.em, StoredFileEntity, { id: fileId });
  return requireMarkFile(ctx.db, mark, fileId, actorId);
}

/** Lists the wire names of changed fields; all of them for the first setting. */
function changedFields(current: Signing | null, fields: SigningFields): string[] {
  const isOther = {
    signer_name: current?.signerName !== fields.signerName,
    signer_position: current?.signerPosition !== fields.signerPosition,
    signature_file_id: current?.signature.id !== fields.signatureFileId,
    stamp_file_id: current?.stamp.id !== fields.stampFileId,
    'layout.signature': !isSamePlace(current?.layout.signature, fields.layout.signature),
    'layout.stamp': !isSamePlace(current?.layout.stamp, fields.layout.stamp),
  };
  return Object.entries(isOther).flatMap(([name, other]) => (other ? [name] : []));
}

function isSamePlace(left: SigningLayout['stamp'] | undefined, right: SigningLayout['stamp']): boolean {
  return left?.x === right.x && left.y === right.y && left.scale === right.scale;
}
