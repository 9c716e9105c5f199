import type { Database } from '../../../platform/database/database.ts';

/** Whether the person of an account was taken out of the records (PRV-5). */
export async function isErased(db: Database, userId: number): Promise<boolean> {
  const user = await db.selectFrom('users').select('erasedAt').where('id', '=', userId).executeTakeFirst();
  return user !== undefined && user.erasedAt !== null;
}
