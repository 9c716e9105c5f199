import type { Context } from 'koa';
import type { Variables } from '../../config.ts';
import { DomainError } from '../../errors.ts';
import { WindowCounts } from '../../platform/turns/window-counts.ts';
import type { Route } from '../define-route.ts';
import { networkOf } from '../request/client-address.ts';
import type { Principal } from './access.ts';

/** Limit of all callers of one address, as a multiple of the limit of one account, key or session. */
export const addressFactor = 10;

/** Most keys that each API process counts: at about 300 bytes a key, 15 MB for each limit. */
const maxKeys = 50_000;

interface Limit {
  most: number;
  counts: WindowCounts;
}

/** The broad limits of one API process; see `createRateLimits`. */
export interface RateLimits {
  /**
   * Counts a request by its address, before any other work.
   * @throws {DomainError} rate_limited
   */
  countRequest(ctx: Context, route: Pick<Route, 'access' | 'countedAs'>): void;
  /**
   * Counts a request by its caller, once authenticated.
   * @param principal null: unknown credentials
   * @throws {DomainError} rate_limited
   */
  countCaller(ctx: Context, principal: Principal | null): void;
}

type LimitVariables = Pick<Variables, 'RATE_LIMIT_KEY_PER_MINUTE' | 'RATE_LIMIT_PUBLIC_PER_MINUTE' | 'RATE_LIMIT_CALLBACKS_PER_MINUTE'>;

/**
 * Creates the broad limits (API-9), counted in the memory of each API process: a database write for each request would cost more than it
 * protects. Limits that guard secrets (logins, captchas, exports) are counted in PostgreSQL by their commands.
 *
 * Keys and sessions are counted by id, once they are found. Sessions are free and invented keys cost nothing, so both are counted by
 * address as well; a request without valid credentials is counted only by address.
 */
export function createRateLimits(config: LimitVariables): RateLimits {
  const perMinute = (most: number): Limit => ({ most, counts: new WindowCounts(60_000, maxKeys) });
  const ofPublic = perMinute(config.RATE_LIMIT_PUBLIC_PER_MINUTE);
  const ofAddress = perMinute(config.RATE_LIMIT_KEY_PER_MINUTE * addressFactor);
  const ofCaller = perMinute(config.RATE_LIMIT_KEY_PER_MINUTE);
  const callbacks = perMinute(config.RATE_LIMIT_CALLBACKS_PER_MINUTE);
  const allCallbacks = perMinute(config.RATE_LIMIT_CALLBACKS_PER_MINUTE * addressFactor);
  return {
    countRequest(ctx, { access, countedAs }) {
      const network = networkOf(ctx.ip);
      switch (countedAs) {
        case 'request':
          count(ctx, access.kind === 'public' ? ofPublic : ofAddress, network);
          return;
        case 'webhook':
          // The webhook shows a secret and comes from the platform's few addresses, so it is counted as keys are by address.
          count(ctx, ofAddress, network);
          return;
        case 'callback':
          // In this order: excess requests of one address must not use up the total of the others.
          count(ctx, callbacks, network);
          count(ctx, allCallbacks, 'all');
      }
    },
    countCaller: (ctx, principal) => count(ctx, ofCaller, callerOf(ctx, principal)),
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
  // Of several limits the headers show the one that the client reaches first.
  const told = ctx.res.getHeader('RateLimit-Remaining');
  if (told === undefined || remaining <= Number(told))
    ctx.set({ 'RateLimit-Limit': String(most), 'RateLimit-Remaining': String(remaining), 'RateLimit-Reset': String(seconds) });
  if (present > most) throw new DomainError('rate_limited', { retry_after_seconds: seconds });
}
