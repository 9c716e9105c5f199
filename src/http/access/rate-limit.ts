import type { Context } from 'koa';
import type { Variables } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import { WindowCounts } from '../../platform/turns/window-counts.ts';
import type { Route } from '../define-route.ts';
import { networkOf } from '../request/client-address.ts';
import type { Principal } from './access.ts';

/** Limit of all callers of one address, as a multiple of the limit of one account, key or session. */
export const addressFactor = 10;

/** Maximum keys of each limit in an API process: 15 MB at 300 bytes a key. */
const maxKeys = 50_000;

interface Limit {
  most: number;
  counts: WindowCounts;
}

export type RateLimits = ReturnType<typeof createRateLimits>;

type LimitVariables = Pick<Variables, 'RATE_LIMIT_KEY_PER_MINUTE' | 'RATE_LIMIT_PUBLIC_PER_MINUTE' | 'RATE_LIMIT_CALLBACKS_PER_MINUTE'>;

/**
 * Creates the broad limits (API-9), counted in the memory of each API process, because a database write for each request costs too much.
 * Commands count limits on secrets (logins, captchas, exports) in PostgreSQL.
 *
 * Counts keys and sessions by id, and by address too, because new sessions and random keys are free. Counts requests without valid
 * credentials only by address.
 */
export function createRateLimits(config: LimitVariables) {
  const perMinute = (most: number): Limit => ({ most, counts: new WindowCounts(60_000, maxKeys) });
  const ofPublic = perMinute(config.RATE_LIMIT_PUBLIC_PER_MINUTE);
  const ofAddress = perMinute(config.RATE_LIMIT_KEY_PER_MINUTE * addressFactor);
  const ofCaller = perMinute(config.RATE_LIMIT_KEY_PER_MINUTE);
  const callbacks = perMinute(config.RATE_LIMIT_CALLBACKS_PER_MINUTE);
  const allCallbacks = perMinute(config.RATE_LIMIT_CALLBACKS_PER_MINUTE * addressFactor);
  return {
    /**
     * Counts a request by its address, before any other work.
     * @throws {DomainError} rate_limited
     */
    countRequest(ctx: Context, { access, countedAs }: Pick<Route, 'access' | 'countedAs'>): void {
      const network = networkOf(ctx.ip);
      switch (countedAs) {
        case 'request':
          count(ctx, access.kind === 'public' ? ofPublic : ofAddress, network);
          return;
        // A gate reads a dozen files, and many gates share an address; the bot's webhook has a secret and comes from few addresses.
        case 'file':
        case 'webhook':
          count(ctx, ofAddress, network);
          return;
        case 'callback':
          // In this order, so that excess requests of one address do not use up the common limit.
          count(ctx, callbacks, network);
          count(ctx, allCallbacks, 'all');
      }
    },
    /**
     * Counts a request by its caller, once authenticated.
     * @param principal null: unknown credentials
     * @throws {DomainError} rate_limited
     */
    countCaller: (ctx: Context, principal: Principal | null): void => count(ctx, ofCaller, callerOf(ctx, principal)),
  };
}

function callerOf(ctx: Context, principal: Principal | null): string {
  if (principal?.kind === 'anonymous_session') return `session:${principal.session.id}`;
  if (principal?.kind !== 'signed_in') return `address:${networkOf(ctx.ip)}`;
  const { by } = principal;
  return by.kind === 'key' ? `key:${by.key.id}` : `session:${by.session.id}`;
}

function count(ctx: Context, { most, counts }: Limit, key: string): void {
  const { count: present, restMs } = counts.add(key);
  const remaining = Math.max(0, most - present);
  const seconds = Math.max(1, Math.ceil(restMs / 1000));
  // The headers show the limit that the client reaches first.
  const shown = ctx.res.getHeader('RateLimit-Remaining');
  if (shown === undefined || remaining <= Number(shown))
    ctx.set({ 'RateLimit-Limit': String(most), 'RateLimit-Remaining': String(remaining), 'RateLimit-Reset': String(seconds) });
  if (present > most) throw new DomainError('rate_limited', { retry_after_seconds: seconds });
}
