import type { Context } from 'koa';
import type { Variables } from '../../config.ts';
import { DomainError } from '../../errors.ts';
import { WindowCounts } from '../../platform/turns/window-counts.ts';
import type { Route } from '../define-route.ts';
import { networkOf } from '../request/client-address.ts';
import type { Principal } from './access.ts';

/** Whatever an account, a key or a session may do, all of them at one address may do so many times as much (decisions.md §10). */
export const addressFactor = 10;

/** What each API process counts at the most: at about 300 bytes a key, 15 MB for each limit. */
const maxKeys = 50_000;

interface Limit {
  most: number;
  counts: WindowCounts;
}

/** The broad limits of one API process; see `createRateLimits`. */
export interface RateLimits {
  /** Counts a request by its address, before anything else is done for it. @throws {DomainError} rate_limited */
  countRequest(ctx: Context, route: Pick<Route, 'access' | 'countedAs'>): void;
  /**
   * Counts a request as its caller's, once it is known whose it is.
   * @param principal null: it showed credentials that are nobody's
   * @throws {DomainError} rate_limited
   */
  countCaller(ctx: Context, principal: Principal | null): void;
}

type LimitVariables = Pick<Variables, 'RATE_LIMIT_KEY_PER_MINUTE' | 'RATE_LIMIT_PUBLIC_PER_MINUTE' | 'RATE_LIMIT_CALLBACKS_PER_MINUTE'>;

/**
 * The broad limits (decisions.md §1), counted in the memory of each API process: a write in the database for each request
 * would cost more than what it protects. What guards secrets (logins, captchas, exports) is counted in PostgreSQL by its command.
 *
 * Keys and sessions are counted by their id, once they are found: a session costs nothing and a made-up key even less, so they
 * are counted by address as well, and who shows nothing good by nothing but the address.
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
          // It shows a secret, and all of it comes from the few addresses of a platform: so it is counted as keys are by address.
          count(ctx, ofAddress, network);
          return;
        case 'callback':
          // In this order: what one address sends too much of takes nothing from the others.
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
  // Of several limits the client is told of the one that it will meet first.
  const told = ctx.res.getHeader('RateLimit-Remaining');
  if (told === undefined || remaining <= Number(told))
    ctx.set({ 'RateLimit-Limit': String(most), 'RateLimit-Remaining': String(remaining), 'RateLimit-Reset': String(seconds) });
  if (present > most) throw new DomainError('rate_limited', { retry_after_seconds: seconds });
}
