import type { Database } from '../../../platform/database/database.ts';

/** The account that a record belongs to, as administrators see it. */
export interface Owner {
  id: number;
  name: string;
  email: string;
}

/** @throws when there is none: accounts are never deleted */
export function findOwner(db: Database, userId: number): Promise<Owner> {
  return db.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', userId).executeTakeFirstOrThrow();
}
