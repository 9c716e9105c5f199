import type { FileDependents } from '../files/index.ts';
import type { Database } from '../platform/database/database.ts';

/**
 * The images of the signing setting are kept, of every setting there was: agreements refer to the one they were made with. Whoever sets it
 * holds the files until the end (`set-signing.ts`), so here nothing is to be locked. Administrators alone see them (service.md "Federation
 * signing setting"): whoever brought one and is no administrator any more does not.
 */
export const signingFileDependents: FileDependents = {
  async listUses({ db }, fileId) {
    const id = await findSigningWith(db, fileId);
    return id === null ? [] : [{ kind: 'federation_signing', id }];
  },
  isForAdministrators: async (db, fileId) => (await findSigningWith(db, fileId)) !== null,
};

/** The latest setting in which a file stood as a mark. */
async function findSigningWith(db: Database, fileId: string): Promise<number | null> {
  const { id } = await db
    .selectFrom('federation_signings')
    .select((eb) => eb.fn.max<number | null>('id').as('id'))
    .where((eb) => eb.or([eb('signatureFileId', '=', fileId), eb('stampFileId', '=', fileId)]))
    .executeTakeFirstOrThrow();
  return id;
}
