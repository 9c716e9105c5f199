import type { FileDependents } from '../files/index.ts';

/**
 * The images of the signing setting are kept, of every setting there was: agreements refer to the one they were made with. Whoever sets it
 * holds the files until the end (`set-signing.ts`), so here nothing is to be locked.
 */
export const signingFileDependents: FileDependents = {
  async listUses({ db }, fileId) {
    const signing = await db
      .selectFrom('federation_signings')
      .select((eb) => eb.fn.max('id').as('id'))
      .where((eb) => eb.or([eb('signatureFileId', '=', fileId), eb('stampFileId', '=', fileId)]))
      .executeTakeFirst();
    return signing?.id == null ? [] : [{ kind: 'federation_signing', id: signing.id }];
  },
};
