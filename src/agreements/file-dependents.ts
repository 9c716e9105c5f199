import type { FileDependents } from '../files/index.ts';

/** An agreement keeps the scan that was sent last, whatever became of it: it stays in the archive. An earlier one may be deleted. */
export const agreementFileDependents: FileDependents = {
  async listUses({ db }, fileId) {
    const contracts = await db
      .selectFrom('files as f')
      .innerJoin('contracts as c', (join) => join.onRef('c.ownerId', '=', 'f.ownerId').onRef('c.scanStorageKey', '=', 'f.storageKey'))
      .where('f.id', '=', fileId)
      .select('c.id')
      .orderBy('c.id')
      .execute();
    return contracts.map(({ id }) => ({ kind: 'contract', id }));
  },
};
