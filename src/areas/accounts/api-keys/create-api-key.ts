import { DomainError, type FieldProblem, validationFailed } from '../../../errors.ts';
import { type Scope, scopesOfRole } from '../../../http/access/scopes.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { countRows, type Database } from '../../../platform/database/database.ts';
import { audit } from '../../audit/index.ts';
import type { ApiKey, User } from '../entities.ts';
import { hashToken, makeToken } from '../secret-tokens.ts';

const prefix = 'fsk_';
const shape = new RegExp(`^${prefix}[\\w-]{43}$`);
/** Enough characters to tell a key from the others of the account. */
const shownCharacters = 12;
const longestLifeYears = 5;
/** Most valid keys of one account (ACC-7): each key has its own rate limit (`src/http/access/rate-limit.ts`). */
export const apiKeyLimit = 50;

/** Whether a text has the shape of a key. */
export function mayBeApiKey(text: string): boolean {
  return shape.test(text);
}

export interface NewApiKey {
  owner: Pick<User, 'id' | 'role'>;
  name: string;
  scopes: Scope[];
  expiresAt: Date;
}

/**
 * Creates a key for programs (ACC-7, ACC-8). `secret` is shown once; only its SHA-256 is stored. Locks the account, so that two
 * concurrent requests cannot both take the last place.
 * @throws {DomainError} validation_failed: scopes that the owner's role does not have, an expiry that is past or more than five years
 *   away; quota_exceeded `{quota, used, limit}`
 */
export async function createApiKey(ctx: CommandContext, input: NewApiKey): Promise<{ key: Readonly<ApiKey>; secret: string }> {
  const problems = [...problemsOfScopes(input), ...problemsOfExpiry(input.expiresAt, ctx.now)];
  if (problems.length > 0) throw validationFailed(problems);
  await refuseTooMany(ctx, input.owner.id);
  const secret = prefix + makeToken();
  const key = await ctx.db
    .insertInto('api_keys')
    .values({
      userId: input.owner.id,
      name: input.name,
      prefix: secret.slice(0, shownCharacters),
      keyHash: hashToken(secret),
      scopes: [...new Set(input.scopes)],
      expiresAt: input.expiresAt,
      createdAt: ctx.now,
      lastUsedAt: null,
      revokedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await audit(ctx, 'api_key.created', { kind: 'api_key', id: key.id }, { scopes: key.scopes });
  return { key, secret };
}

/** Selects the keys (`k`) that are neither revoked nor expired. The account of such a key may be blocked. */
export function keysInForce(db: Database, now: Date) {
  return db.selectFrom('api_keys as k').where('k.revokedAt', 'is', null).where('k.expiresAt', '>', now);
}

/** Counts the valid keys of an account. Reads `api_keys_user_index`. */
export function countValidKeys(db: Database, userId: number, now: Date): Promise<number> {
  return countRows(keysInForce(db, now).where('k.userId', '=', userId));
}

async function refuseTooMany({ db, now }: CommandContext, userId: number): Promise<void> {
  await db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const used = await countValidKeys(db, userId, now);
  if (used >= apiKeyLimit)
    throw new DomainError(
      'quota_exceeded',
      { quota: 'api_keys', used, limit: apiKeyLimit },
      'The account has reached its limit of API keys. Revoke an unused key.',
    );
}

function problemsOfScopes({ owner, scopes }: { owner: Pick<User, 'role'>; scopes: readonly Scope[] }): FieldProblem[] {
  const allowed = scopesOfRole(owner.role);
  return scopes.flatMap((scope, index) =>
    allowed.includes(scope) ? [] : [{ path: `body.scopes.${index}`, code: 'not_allowed', message: 'is not a scope of your account' }],
  );
}

function problemsOfExpiry(expiresAt: Date, now: Date): FieldProblem[] {
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + longestLifeYears);
  if (expiresAt <= now) return [{ path: 'body.expires_at', code: 'too_early', message: 'must be in the future' }];
  if (expiresAt > latest) return [{ path: 'body.expires_at', code: 'too_late', message: `must be within ${longestLifeYears} years` }];
  return [];
}
