import { isIP } from 'node:net';
import type { Variables } from '../config.ts';
import { networkOf, wideNetworkOf } from '../http/client-address.ts';
import { addressFactor } from '../http/rate-limit.ts';
import type { AttemptLimit } from './count-attempt.ts';
import { hashToken } from './secret-tokens.ts';

const minutes = 60;

/** New sessions of an address, which need nothing but to be asked for. */
export function sessionsFrom(config: Variables, ip: string | null): AttemptLimit {
  return { key: `sessions-from:${networkOf(ip)}`, limit: config.RATE_LIMIT_SESSIONS_PER_10_MINUTES, windowSeconds: 10 * minutes };
}

export function captchasOf(config: Variables, sessionId: string): AttemptLimit {
  return { key: `captcha:${sessionId}`, limit: config.RATE_LIMIT_CAPTCHAS_PER_10_MINUTES, windowSeconds: 10 * minutes };
}

export function captchasFrom(config: Variables, ip: string | null): AttemptLimit {
  const limit = config.RATE_LIMIT_CAPTCHAS_PER_10_MINUTES * addressFactor;
  return { key: `captchas-from:${networkOf(ip)}`, limit, windowSeconds: 10 * minutes };
}

/** Logins of an address into any account. */
export function loginsFrom(config: Variables, ip: string | null): AttemptLimit {
  const limit = config.RATE_LIMIT_LOGINS_PER_15_MINUTES * addressFactor;
  return { key: `logins-from:${networkOf(ip)}`, limit, windowSeconds: 15 * minutes };
}

/** Networks of /64 that a /48 may use up: an attacker may own all of them. */
const wideFactorIPv6 = 3;
/** Addresses that a /24 may use up: the addresses of an IPv4 network belong to different customers. */
const wideFactorIPv4 = 10;

/** Logins of a wider network, an IPv6 /48 or an IPv4 /24, into any account that is not known at its address. */
export function loginsFromWide(config: Variables, ip: string | null): AttemptLimit {
  const factor = isIP(ip ?? '') === 4 ? wideFactorIPv4 : wideFactorIPv6;
  const limit = config.RATE_LIMIT_LOGINS_PER_15_MINUTES * addressFactor * factor;
  return { key: `logins-from-wide:${wideNetworkOf(ip)}`, limit, windowSeconds: 15 * minutes };
}

/** Logins of an address into one account. */
export function loginsOfPair(config: Variables, email: string, ip: string | null): AttemptLimit {
  const limit = config.RATE_LIMIT_LOGINS_PER_15_MINUTES;
  return { key: `login:${networkOf(ip)}:${hashToken(email)}`, limit, windowSeconds: 15 * minutes };
}

/** Logins into one account from any address. */
export function loginsInto(config: Variables, email: string): AttemptLimit {
  return { key: `logins-into:${hashToken(email)}`, limit: config.RATE_LIMIT_LOGINS_PER_15_MINUTES, windowSeconds: 15 * minutes };
}

/** Wrong passwords given as confirmation for an account. */
export function confirmationsOf(config: Variables, userId: number): AttemptLimit {
  return { key: `password:${userId}`, limit: config.RATE_LIMIT_LOGINS_PER_15_MINUTES, windowSeconds: 15 * minutes };
}

export function confirmationsFrom(config: Variables, ip: string | null): AttemptLimit {
  const limit = config.RATE_LIMIT_LOGINS_PER_15_MINUTES * addressFactor;
  return { key: `passwords-from:${networkOf(ip)}`, limit, windowSeconds: 15 * minutes };
}

/** Files with many people in them that an account asks for, of whatever kind. */
export function exportsOf(config: Variables, userId: number): AttemptLimit {
  return { key: `exports:${userId}`, limit: config.RATE_LIMIT_EXPORTS_PER_HOUR, windowSeconds: 60 * minutes };
}

/** Recovery mails to one account. */
export function resetsOf(config: Variables, email: string): AttemptLimit {
  return { key: `resets-of:${hashToken(email)}`, limit: config.RATE_LIMIT_RESETS_PER_HOUR, windowSeconds: 60 * minutes };
}

/** Recovery mails that an address asks for, to any account. */
export function resetsFrom(config: Variables, ip: string | null): AttemptLimit {
  const limit = config.RATE_LIMIT_RESETS_PER_HOUR * addressFactor;
  return { key: `resets-from:${networkOf(ip)}`, limit, windowSeconds: 60 * minutes };
}
