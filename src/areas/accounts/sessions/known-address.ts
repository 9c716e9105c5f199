import { networkOf } from '../../../http/request/client-address.ts';
import { databaseOf } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { hashToken } from '../secret-tokens.ts';

/** An address stays known for 30 days after the last sign-in. */
const knownMs = 30 * 24 * 60 * 60_000;

/** Key of a row among the counters, which the sweeper deletes on expiry. Hashed, so that it does not reveal where a person signs in. */
function keyOf(email: string, ip: string | null): string {
  return `signed-in:${hashToken(`${networkOf(ip)} ${email}`)}`;
}

/** Records that the account's holder signed in from this address (ACC-15). @param email in lower case */
export async function rememberAddress(platform: Pick<Platform, 'orm'>, email: string, ip: string | null): Promise<void> {
  await databaseOf(platform.orm.em.fork())
    .insertInto('attempt_counts')
    .values({ key: keyOf(email, ip), count: 1, resetsAt: new Date(Date.now() + knownMs) })
    .onConflict((conflict) => conflict.column('key').doUpdateSet((eb) => ({ resetsAt: eb.ref('excluded.resetsAt') })))
    .execute();
}

/** Whether the account's holder signed in from this address in the last 30 days. */
export async function isKnownAddress(platform: Pick<Platform, 'orm'>, email: string, ip: string | null): Promise<boolean> {
  const known = await databaseOf(platform.orm.em.fork())
    .selectFrom('attempt_counts')
    .select('key')
    .where('key', '=', keyOf(email, ip))
    .where('resetsAt', '>', new Date())
    .executeTakeFirst();
  return known !== undefined;
}
