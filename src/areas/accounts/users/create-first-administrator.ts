import { sql } from 'kysely';
import { DomainError } from '../../../errors.ts';
import { type CommandPlatform, commit } from '../../../platform/commands/command.ts';
import { asciiDomain } from '../../../platform/text.ts';
import { audit } from '../../audit/index.ts';
import { hashPassword } from '../password-hash.ts';
import { openAccount } from '../login/register-account.ts';

const oneAtATime = 7_245_002;

/**
 * Creates the first administrator, if the registry has none. Idempotent, also when several processes run it at once.
 * @returns whether this call created the account
 * @throws {DomainError} email_taken, when a user registered with that address: they do not become an administrator
 */
export async function createFirstAdministrator(platform: CommandPlatform, input: { email: string; password: string }): Promise<boolean> {
  const email = asciiDomain(input.email).toLowerCase();
  const caller = { actor: { kind: 'process' }, requestId: 'first-administrator', ip: null } as const;
  const passwordHash = await hashPassword(input.password, { ip: null });
  return commit(platform, caller, async (ctx) => {
    await sql`select pg_advisory_xact_lock(${oneAtATime})`.execute(ctx.db);
    const known = ctx.db.selectFrom('users').select('id').limit(1);
    if (await known.where('role', '=', 'administrator').executeTakeFirst()) return false;
    if (await known.where('email', '=', email).executeTakeFirst()) throw new DomainError('email_taken');
    const account = { email, passwordHash, name: 'Administrator', phone: null, role: 'administrator', emailConfirmed: true } as const;
    const { id } = await openAccount(ctx, account);
    await audit(ctx, 'administrator.created', { kind: 'user', id });
    return true;
  });
}
