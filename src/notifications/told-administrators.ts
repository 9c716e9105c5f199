import type { Database } from '../platform/database/database.ts';

/** A federation has a handful of administrators; whatever happens, no more are told at once. */
const mostTold = 200;

/** Every active administrator, in the order of their ids. Uses users_role_index. */
export function toldAdministrators(db: Database) {
  return db
    .selectFrom('users')
    .where('role', '=', 'administrator')
    .where('status', '=', 'active')
    .select('id')
    .orderBy('id')
    .limit(mostTold);
}
