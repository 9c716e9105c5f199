import type { Database } from '../../../platform/database/database.ts';

/** The account that owns a record, for administrators. */
export interface Owner {
  id: number;
  name: string;
  email: string;
}

/** @throws when the account does not exist: accounts are never deleted */
export function findOwner(db: Database, userId: number): Promise<Owner> {
  return db.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', userId).executeTakeFirstOrThrow();
}
