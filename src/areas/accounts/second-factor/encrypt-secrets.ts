import { type CommandPlatform, commit } from '../../../platform/commands/command.ts';
import { databaseOf } from '../../../platform/database/database.ts';
import { EncryptedAnew, type RenewedSecret } from '../../../platform/secrets/encryption.ts';
import { lockSecondFactor, renew } from './second-factor.ts';

const caller = { actor: { kind: 'process' }, requestId: 'encrypt-secrets', ip: null } as const;
const pageSize = 500;

/**
 * Encrypts the secrets of all second factors with the first key of `ENCRYPTION_KEY`, each in a transaction of its own, so that it may be
 * interrupted and repeated. Goes on after a secret that no key decrypts.
 */
export async function encryptSecretsAnew(platform: CommandPlatform, keys: string): Promise<EncryptedAnew> {
  const db = databaseOf(platform.orm.em.fork());
  const done = new EncryptedAnew();
  for (let after = 0; ;) {
    const page = await db
      .selectFrom('second_factors')
      .select('userId')
      .where('userId', '>', after)
      .orderBy('userId')
      .limit(pageSize)
      .execute();
    for (const { userId } of page) done.add(userId, await encryptAnew(platform, keys, userId));
    const last = page.at(-1);
    if (last === undefined) return done;
    after = last.userId;
  }
}

function encryptAnew(platform: CommandPlatform, keys: string, userId: number): Promise<RenewedSecret[]> {
  return commit(platform, caller, async (ctx) => {
    const factor = await lockSecondFactor(ctx, userId);
    const columns = Object.entries({ secret: factor?.secret ?? null, pendingSecret: factor?.pendingSecret ?? null });
    const secrets = columns.flatMap(([column, stored]) => (stored === null ? [] : [{ column, ...renew(keys, userId, stored) }]));
    const changed = secrets.filter(({ state }) => state === 'renewed').map(({ column, stored }) => [column, stored] as const);
    if (changed.length > 0)
      await ctx.db.updateTable('second_factors').set(Object.fromEntries(changed)).where('userId', '=', userId).execute();
    return secrets;
  });
}
