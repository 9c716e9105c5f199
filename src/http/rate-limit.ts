import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Variables } from '../config.ts';
import { DomainError } from '../errors.ts';
import type { Access } from './access.ts';

/**
 * The broad limits (decisions.md §1), counted in the memory of each API process: a read in the database for each request
 * would cost more than what it protects. What guards secrets (logins, captchas, exports) is counted in PostgreSQL by its command.
 */
export function createRateLimits(config: Pick<Variables, 'RATE_LIMIT_KEY_PER_MINUTE' | 'RATE_LIMIT_PUBLIC_PER_MINUTE'>) {
  const perCaller = new RateLimiterMemory({ points: config.RATE_LIMIT_KEY_PER_MINUTE, duration: 60 });
  const perAddress = new RateLimiterMemory({ points: config.RATE_LIMIT_PUBLIC_PER_MINUTE, duration: 60 });

  /** Counts this request. @throws {DomainError} rate_limited */
  return async function countRequest(ctx: Context, access: Access, credential: string | null): Promise<void> {
    const isPublic = access.kind === 'public';
    const limiter = isPublic ? perAddress : perCaller;
    const key =
      isPublic || credential === null ? `ip:${ctx.ip}` : `credential:${createHash('sha256').update(credential).digest('base64url')}`;
    try {
      writeHeaders(ctx, limiter.points, await limiter.consume(key));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      writeHeaders(ctx, limiter.points, error);
      throw rateLimited(ctx, error.msBeforeNext);
    }
  };
}
export type CountRequest = ReturnType<typeof createRateLimits>;

function writeHeaders(ctx: Context, limit: number, state: RateLimiterRes): void {
  ctx.set('RateLimit-Limit', String(limit));
  ctx.set('RateLimit-Remaining', String(Math.max(0, state.remainingPoints)));
  ctx.set('RateLimit-Reset', String(Math.ceil(state.msBeforeNext / 1000)));
}

function rateLimited(ctx: Context, waitMs: number): DomainError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  ctx.set('Retry-After', String(seconds));
  return new DomainError('rate_limited', { retry_after_seconds: seconds });
}
