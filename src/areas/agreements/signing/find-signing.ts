import type { Database } from '../../../platform/database/database.ts';
import { jsonOf } from '../../../platform/database/json-rows.ts';
import type { FileDependents } from '../../files/index.ts';

/** A signing setting: signer, marks and their layout (`entities.ts`). */
export type Signing = NonNullable<Awaited<ReturnType<typeof findSigning>>>;

/** Finds the newest setting, which applies to new agreements (AGR-8); null while there is none. */
export async function findCurrentSigning(db: Database) {
  return (await selectSignings(db).orderBy('s.id', 'desc').limit(1).executeTakeFirst()) ?? null;
}

/** Finds the setting that an agreement was made with. */
export async function findSigning(db: Database, id: number) {
  return (await selectSignings(db).where('s.id', '=', id).executeTakeFirst()) ?? null;
}

function selectSignings(db: Database) {
  return db
    .selectFrom('federation_signings as s')
    .innerJoin('files as signature', 'signature.id', 's.signatureFileId')
    .innerJoin('files as stamp', 'stamp.id', 's.stampFileId')
    .select(['s.id', 's.signerName', 's.signerPosition', 's.layout', 's.actorId', 's.createdAt'])
    .select((eb) => [
      jsonOf(eb, 'signature', ['id', 'sha256', 'storageKey']).as('signature'),
      jsonOf(eb, 'stamp', ['id', 'sha256', 'storageKey']).as('stamp'),
    ]);
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
