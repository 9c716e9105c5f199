import type { Database } from '../../../platform/database/database.ts';
import type { FileDependents, FileMime } from '../../files/index.ts';
import type { SigningLayout } from '../entities.ts';

/** The image of a signature or a stamp. */
export interface MarkImage {
  fileId: string;
  mime: FileMime;
  /** Pixels; an image always has them. */
  width: number;
  height: number;
  sha256: string;
  storageKey: string;
}

/** A signing setting: signer, marks and their layout. */
export interface Signing {
  id: number;
  signerName: string;
  signerPosition: string;
  /** Millimetres from the last page's top left corner (`entities.ts`). */
  layout: SigningLayout;
  signature: MarkImage;
  stamp: MarkImage;
  actorId: number;
  createdAt: Date;
}

/** Finds the newest setting, which applies to new agreements (AGR-8); null while there is none. */
export async function findCurrentSigning(db: Database): Promise<Signing | null> {
  const row = await selectSignings(db).orderBy('s.id', 'desc').limit(1).executeTakeFirst();
  return row ? signingOf(row) : null;
}

/** Finds the setting that an agreement was made with. */
export async function findSigning(db: Database, id: number): Promise<Signing | null> {
  const row = await selectSignings(db).where('s.id', '=', id).executeTakeFirst();
  return row ? signingOf(row) : null;
}

function selectSignings(db: Database) {
  return db
    .selectFrom('federation_signings as s')
    .innerJoin('files as signature', 'signature.id', 's.signatureFileId')
    .innerJoin('files as stamp', 'stamp.id', 's.stampFileId')
    .select([
      's.id',
      's.signerName',
      's.signerPosition',
      's.layout',
      's.actorId',
      's.createdAt',
      's.signatureFileId',
      'signature.mime as signatureMime',
      'signature.width as signatureWidth',
      'signature.height as signatureHeight',
      'signature.sha256 as signatureSha256',
      'signature.storageKey as signatureStorageKey',
      's.stampFileId',
      'stamp.mime as stampMime',
      'stamp.width as stampWidth',
      'stamp.height as stampHeight',
      'stamp.sha256 as stampSha256',
      'stamp.storageKey as stampStorageKey',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectSignings>['executeTakeFirstOrThrow']>>;

function signingOf(row: Row): Signing {
  const { id, signerName, signerPosition, layout, actorId, createdAt } = row;
  return {
    id,
    signerName,
    signerPosition,
    layout,
    signature: {
      fileId: row.signatureFileId,
      mime: row.signatureMime,
      width: row.signatureWidth ?? 0,
      height: row.signatureHeight ?? 0,
      sha256: row.signatureSha256,
      storageKey: row.signatureStorageKey,
    },
    stamp: {
      fileId: row.stampFileId,
      mime: row.stampMime,
      width: row.stampWidth ?? 0,
      height: row.stampHeight ?? 0,
      sha256: row.stampSha256,
      storageKey: row.stampStorageKey,
    },
    actorId,
    createdAt,
  };
}

/**
 * Keeps the images of every signing setting, current or former, from deletion, since agreements refer to them (AGR-8).
 *
 * Only administrators open them, not an uploader who has lost the role (FIL-7). Takes no lock: `set-signing.ts` locks the files.
 */
export const signingFileDependents: FileDependents = {
  async listUses({ db }, fileId) {
    const id = await findSigningWith(db, fileId);
    return id === null ? [] : [{ kind: 'federation_signing', id }];
  },
  isForAdministrators: async (db, fileId) => (await findSigningWith(db, fileId)) !== null,
};

/** Finds the latest setting that uses a file as a mark. */
async function findSigningWith(db: Database, fileId: string): Promise<number | null> {
  const { id } = await db
    .selectFrom('federation_signings')
    .select((eb) => eb.fn.max<number | null>('id').as('id'))
    .where((eb) => eb.or([eb('signatureFileId', '=', fileId), eb('stampFileId', '=', fileId)]))
    .executeTakeFirstOrThrow();
  return id;
}
