import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { countRows, type Database } from '../../platform/database/database.ts';
import { definePoint, type Extensions } from '../../platform/extensions.ts';

/** Limits that keep lists without pages short: profiles of an account (PRO-10), documents of a profile (DOC-9). */
export interface RecordQuotas {
  profiles: number;
  documents: number;
}

/** The configured limits; `createPlatform` registers them. */
export const recordQuotas = definePoint<RecordQuotas>('quotas of records');

/** Returns the limit of a quota. */
export function quotaOf(extensions: Extensions, quota: keyof RecordQuotas): number {
  const [limits] = extensions.of(recordQuotas);
  if (!limits) throw new Error('the platform has no quotas of records');
  return limits[quota];
}

/**
 * Refuses another profile of an account that has as many as its quota allows (PRO-10). The account's row stays locked until the transaction
 * ends, so only one of two concurrent requests takes the last place.
 * @throws {DomainError} quota_exceeded
 */
export async function requirePlaceForProfile(ctx: CommandContext, ownerId: number): Promise<void> {
  await ctx.db.selectFrom('users').select('id').where('id', '=', ownerId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const excess = await findExcessOfProfiles(ctx.db, ctx.extensions, ownerId);
  if (excess !== null) throw new DomainError('quota_exceeded', excess, 'The account has reached its limit of profiles.');
}

/** Finds whether another profile would exceed the quota of an account; null while there is a place. Uses profiles_owner_index. */
export async function findExcessOfProfiles(db: Database, extensions: Extensions, ownerId: number) {
  const limit = quotaOf(extensions, 'profiles');
  const used = await countRows(db.selectFrom('profiles').where('ownerId', '=', ownerId));
  return used < limit ? null : { quota: 'profiles', used, limit };
}
