import type { ErasureBlocker } from '../../platform/erasure-blockers.ts';

/** Locks another administrator, so that of two who are erased at once the later one stays. */
export const lastAdministrator: ErasureBlocker = {
  code: 'last_administrator',
  kind: 'user',
  step: 'Another account must become an administrator first.',
  async find(db, userId) {
    const administrators = db.selectFrom('users').select('id').where('role', '=', 'administrator').where('status', '=', 'active');
    const own = await administrators.where('id', '=', userId).execute();
    if (own.length === 0) return [];
    const other = await administrators.where('id', '<>', userId).orderBy('id').limit(1).forShare().executeTakeFirst();
    return other ? [] : own;
  },
};
