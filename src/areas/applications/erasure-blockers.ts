import type { ErasureBlocker } from '../../platform/erasure-blockers.ts';
import { inList } from '../../platform/database/database.ts';

/** An approved application has its certificate, which stays. */
const open = ['draft', 'submitted', 'changes'] as const;

export const openApplication: ErasureBlocker = {
  code: 'open_application',
  kind: 'application',
  step: 'Cancel the application, or wait for its decision.',
  find: (db, userId, limit) =>
    db
      .selectFrom('applications as a')
      .innerJoin('profiles as p', 'p.id', 'a.profileId')
      .select('a.id')
      .where('p.ownerId', '=', userId)
      .where('a.status', '=', inList(open))
      .orderBy('a.id')
      .limit(limit)
      .execute(),
};
