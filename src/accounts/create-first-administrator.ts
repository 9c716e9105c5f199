import { audit } from '../administration/audit.ts';
import { DomainError } from '../errors.ts';
import { commit } from '../platform/command.ts';
import type { CommandContext } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { WalletEntity } from '../wallet/entities.ts';
import { UserEntity } from './entities.ts';
import { hashPassword } from './password-hash.ts';

const oneAtATime = 7_245_002;

/**
 * Creates the first administrator, if the registry has none (decisions.md §2). Safe to run again and by several at once.
 * @returns whether it was created now
 * @throws {DomainError} email_taken, when somebody who is no administrator registered with that address: they are not made one
 */
export async function createFirstAdministrator(
  platform: Pick<Platform, 'orm' | 'clock'>,
  input: { email: string; password: string },
): Promise<boolean> {
  const email = input.email.toLowerCase();
  const caller = { actor: { kind: 'process' }, requestId: 'first-administrator', ip: null } as const;
  const passwordHash = await hashPassword(input.password);
  const { result } = await commit(platform, caller, (ctx) => createUnlessThere(ctx, email, passwordHash));
  return result;
}

async function createUnlessThere(ctx: CommandContext, email: string, passwordHash: string): Promise<boolean> {
  await ctx.em.execute('select pg_advisory_xact_lock(?)', [oneAtATime]);
  if ((await ctx.em.count(UserEntity, { role: 'administrator' })) > 0) return false;
  if ((await ctx.em.count(UserEntity, { email })) > 0) throw new DomainError('email_taken');
  const user = ctx.em.create(UserEntity, {
    email,
    passwordHash,
    name: 'Administrator',
    phone: null,
    role: 'administrator',
    status: 'active',
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  await ctx.em.flush();
  ctx.em.create(WalletEntity, { userId: user.id, balanceMinor: 0 });
  audit(ctx, 'administrator.created', { kind: 'user', id: user.id });
  return true;
}
