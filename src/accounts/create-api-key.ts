import { audit } from '../administration/audit.ts';
import { validationFailed } from '../errors.ts';
import type { FieldProblem } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { ApiKeyEntity } from './entities.ts';
import type { ApiKey, User } from './entities.ts';
import { scopesOfRole } from './scopes.ts';
import type { Scope } from './scopes.ts';
import { hashToken, makeToken } from './secret-tokens.ts';

const prefix = 'fsk_';
/** Enough of a key to tell it from the others of the account. */
const shownCharacters = 12;
const longestLifeYears = 5;

export interface NewApiKey {
  owner: Pick<User, 'id' | 'role'>;
  name: string;
  scopes: Scope[];
  expiresAt: Date;
}

/**
 * Makes a key for programs (decisions.md §2). `secret` is shown once; only its SHA-256 is kept.
 * @throws {DomainError} validation_failed: scopes that the owner's role does not have, an expiry that is past or more than five years away
 */
export async function createApiKey(ctx: CommandContext, input: NewApiKey): Promise<{ key: ApiKey; secret: string }> {
  const problems = [...problemsOfScopes(input), ...problemsOfExpiry(input.expiresAt, ctx.now)];
  if (problems.length > 0) throw validationFailed(problems);
  const secret = prefix + makeToken();
  const key = ctx.em.create(ApiKeyEntity, {
    userId: input.owner.id,
    name: input.name,
    prefix: secret.slice(0, shownCharacters),
    keyHash: hashToken(secret),
    scopes: [...new Set(input.scopes)],
    expiresAt: input.expiresAt,
    createdAt: ctx.now,
    lastUsedAt: null,
    revokedAt: null,
  });
  await ctx.em.flush();
  audit(ctx, 'api_key.created', { kind: 'api_key', id: key.id }, { scopes: key.scopes });
  return { key, secret };
}

function problemsOfScopes({ owner, scopes }: NewApiKey): FieldProblem[] {
  const allowed = scopesOfRole(owner.role);
  return scopes.flatMap((scope, index) =>
    allowed.includes(scope)
      ? []
      : [{ path: `body.scopes.${index}`, code: 'not_allowed', message: 'your account does not have this scope itself' }],
  );
}

function problemsOfExpiry(expiresAt: Date, now: Date): FieldProblem[] {
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + longestLifeYears);
  if (expiresAt <= now) return [{ path: 'body.expires_at', code: 'too_early', message: 'must be in the future' }];
  if (expiresAt > latest) return [{ path: 'body.expires_at', code: 'too_late', message: `must be within ${longestLifeYears} years` }];
  return [];
}
