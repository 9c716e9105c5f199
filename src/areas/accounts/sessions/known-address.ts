import { networkOf } from '../../../http/request/client-address.ts';
import { databaseOf } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { hashToken } from '../secret-tokens.ts';

/** An address is known for so long after the last sign-in. */
const knownMs = 30 * 24 * 60 * 60_000;

/** A row among the counters, which go when their time is over. A hash of both: it must not tell from where somebody signs in. */
function keyOf(email: string, ip: string | null): string {
  return `signed-in:${hashToken(`${networkOf(ip)} ${email}`)}`;
}

/** Notes that somebody at this address has shown to be the account's holder. @param email in lower case */
export async function rememberAddress(platform: Pick<Platform, 'orm'>, email: string, ip: string | null): Promise<void> {
  await databaseOf(platform.orm.em.fork())
    .insertInto('attempt_counts')
    .values({ key: keyOf(email, ip), count: 1, resetsAt: new Date(Date.now() + knownMs) })
    .onConflict((conflict) => conflict.column('key').doUpdateSet((eb) => ({ resetsAt: eb.ref('excluded.resetsAt') })))
    .execute();
}

/** Whether the account's holder has signed in from this address in the last weeks. */
export async function isKnownAddress(platform: Pick<Platform, 'orm'>, email: string, ip: string | null): Promise<boolean> {
  const known = await databaseOf(platform.orm.em.fork())
    .selectFrom('attempt_counts')
    .select('key')
    .where('key', '=', keyOf(email, ip))
    .where('resetsAt', '>', new Date())
    .executeTakeFirst();
  return known !== undefined;
}
