import { type CommandPlatform, commit } from '../../../platform/command.ts';
import type { Variables } from '../../../config.ts';
import { databaseOf } from '../../../platform/database/database.ts';
import { lockSecondFactor, openSecret, sealSecret } from './second-factor.ts';

const caller = { actor: { kind: 'process' }, requestId: 'encrypt-secrets', ip: null } as const;
const pageSize = 500;

/**
 * Encrypts the secrets of all second factors with the first key of `ENCRYPTION_KEY`, each in a transaction of its own, so that it may be
 * interrupted and repeated.
 * @returns the number of rows that another key had encrypted
 * @throws {Error} when no key decrypts a secret
 */
export async function encryptSecretsAnew(platform: CommandPlatform, config: Variables): Promise<number> {
  const db = databaseOf(platform.orm.em.fork());
  let changed = 0;
  for (let after = 0; ;) {
    const page = await db
      .selectFrom('second_factors')
      .select('userId')
      .where('userId', '>', after)
      .orderBy('userId')
      .limit(pageSize)
      .execute();
    for (const { userId } of page) if (await encryptAnew(platform, config, userId)) changed += 1;
    const last = page.at(-1);
    if (last === undefined) return changed;
    after = last.userId;
  }
}

function encryptAnew(platform: CommandPlatform, config: Variables, userId: number): Promise<boolean> {
  return commit(platform, caller, async (ctx) => {
    const factor = await lockSecondFactor(ctx, userId);
    if (!factor) return false;
    const renewed = (stored: string | null) => {
      const opened = stored === null ? null : openSecret(config, userId, stored);
      return opened === null || opened.isCurrent ? null : sealSecret(config, userId, opened.secret);
    };
    const [secret, pendingSecret] = [renewed(factor.secret), renewed(factor.pendingSecret)];
    if (secret === null && pendingSecret === null) return false;
    await ctx.db
      .updateTable('second_factors')
      .set({ ...(secret === null ? {} : { secret }), ...(pendingSecret === null ? {} : { pendingSecret }) })
      .where('userId', '=', userId)
      .execute();
    return true;
  });
}
