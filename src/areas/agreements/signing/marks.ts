import { fieldProblem } from '../../../errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { FileMime } from '../../files/index.ts';

/** The marks on an agreement; also the purposes of their uploads. */
export const marks = ['signature', 'stamp'] as const;
export type Mark = (typeof marks)[number];

/** The request's field that names the image of a mark. */
export const fieldOfMark = { signature: 'signature_file_id', stamp: 'stamp_file_id' } as const satisfies Record<Mark, string>;

const mimes: readonly FileMime[] = ['image/png', 'image/webp'];
/** Largest image, pixels: more than a mark needs at its largest scale, and still quick to draw. */
const maxPixels = 16_000_000;

/** A candidate for the image of a mark. */
export interface MarkFile {
  id: string;
  ownerId: number;
  purpose: string;
  mime: FileMime;
  width: number | null;
  height: number | null;
  sha256: string;
  storageKey: string;
  /** Whether a setting has used it as this mark: it was examined then, and files are immutable. */
  wasUsed: boolean;
}

/**
 * Finds the file for a mark: one of the administrator's own files, or one that a setting has already used.
 * @throws {DomainError} validation_failed at the field of the mark
 */
export async function requireMarkFile(db: Database, mark: Mark, fileId: string, actorId: number | null): Promise<MarkFile> {
  const path = `body.${fieldOfMark[mark]}`;
  const file = await findMarkFile(db, mark, fileId);
  if (!file || (file.ownerId !== actorId && !file.wasUsed)) throw fieldProblem(path, 'unknown_file', 'there is no such file of yours');
  if (file.purpose !== mark) throw fieldProblem(path, 'wrong_purpose', `the file must be uploaded with the purpose "${mark}"`);
  if (!mimes.includes(file.mime)) throw fieldProblem(path, 'wrong_file_type', `the file must be one of ${mimes.join(', ')}`);
  if ((file.width ?? 0) * (file.height ?? 0) > maxPixels)
    throw fieldProblem(path, 'image_too_large', `the image must have at most ${maxPixels / 1_000_000} million pixels`);
  return file;
}

async function findMarkFile(db: Database, mark: Mark, fileId: string): Promise<MarkFile | null> {
  const column = mark === 'signature' ? 's.signatureFileId' : 's.stampFileId';
  const file = await db
    .selectFrom('files as f')
    .select(['f.id', 'f.ownerId', 'f.purpose', 'f.mime', 'f.width', 'f.height', 'f.sha256', 'f.storageKey'])
    .select((eb) => eb.exists(eb.selectFrom('federation_signings as s').select('s.id').whereRef(column, '=', 'f.id')).as('wasUsed'))
    .where('f.id', '=', fileId)
    .where('f.deletedAt', 'is', null)
    .executeTakeFirst();
  return file ? { ...file, wasUsed: Boolean(file.wasUsed) } : null;
}
