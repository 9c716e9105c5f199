import { isIP } from 'node:net';
import type { Variables } from '../../registry/config.ts';
import { DomainError } from '../../errors.ts';
import { addressFactor } from '../../http/access/rate-limit.ts';
import { networkOf, wideNetworkOf } from '../../http/request/client-address.ts';
import { databaseOf } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { refusalOf, type SecuritySubject } from '../../platform/logging/security-log.ts';
import { hashToken } from './secret-tokens.ts';

interface AttemptLimit {
  /** Name of the counter, such as `captcha:{session}`; at most 150 characters, no private data. */
  key: string;
  limit: number;
  windowSeconds: number;
}

/** The count stops here, so that a flood cannot overflow the column. */
const highestCount = 1_000_000;

/**
 * Counts one attempt at an action that guards a secret or costs much (ACC-15), in real time and for all API processes together.
 * It runs in its own statement, outside the command's transaction, so that a refused attempt counts too.
 * @param subjectOf subject of the security event; only the first refusal of a window is one, so a flood makes no more
 * @returns the number of attempts in the window, with this one
 * @throws {DomainError} rate_limited, when more than `limit` attempts were made in the window
 */
export async function countAttempt(
  platform: Pick<Platform, 'orm'>,
  attempt: AttemptLimit,
  subjectOf?: () => Promise<SecuritySubject>,
): Promise<number> {
  const { count, retryAfterSeconds } = await recordAttempt(platform, attempt);
  if (count <= attempt.limit) return count;
  const details = { retry_after_seconds: retryAfterSeconds, limit: attempt.limit };
  if (subjectOf === undefined || count > attempt.limit + 1) throw new DomainError('rate_limited', details);
  throw refusalOf('rate_limited', await subjectOf(), details);
}

/**
 * Counts one attempt and refuses nothing, for callers that must not learn of the limit.
 * @returns the count with this attempt, and the time until the window ends, at least one second
 */
export async function recordAttempt(
  platform: Pick<Platform, 'orm'>,
  { key, windowSeconds }: AttemptLimit,
): Promise<{ count: number; retryAfterSeconds: number }> {
  const present = new Date();
  const { count, resetsAt } = await databaseOf(platform.orm.em.fork())
    .insertInto('attempt_counts')
    .values({ key, count: 1, resetsAt: new Date(present.getTime() + windowSeconds * 1000) })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb('attempt_counts.resetsAt', '<=', present);
        const next = eb.fn<number>('least', [eb('attempt_counts.count', '+', 1), eb.lit(highestCount)]);
        return {
          count: eb.case().when(isOver).then(eb.lit(1)).else(next).end(),
          resetsAt: eb.case().when(isOver).then(eb.ref('excluded.resetsAt')).else(eb.ref('attempt_counts.resetsAt')).end(),
        };
      }),
    )
    .returning(['count', 'resetsAt'])
    .executeTakeFirstOrThrow();
  return { count, retryAfterSeconds: Math.max(1, Math.ceil((resetsAt.getTime() - present.getTime()) / 1000)) };
}

/** Takes one attempt back: a right password is not an attempt. */
export async function refundAttempt(platform: Pick<Platform, 'orm'>, key: string): Promise<void> {
  await databaseOf(platform.orm.em.fork())
    .updateTable('attempt_counts')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

/** Deletes a counter. */
export async function resetAttempts(platform: Pick<Platform, 'orm'>, key: string): Promise<void> {
  await databaseOf(platform.orm.em.fork()).deleteFrom('attempt_counts').where('key', '=', key).execute();
}

const minutes = 60;

/** A limit for the sign-ins and confirmations of 15 minutes; `factor` for counters that several accounts share. */
function ofLogins(config: Variables, key: string, factor = 1): AttemptLimit {
  return { key, limit: config.RATE_LIMIT_LOGINS_PER_15_MINUTES * factor, windowSeconds: 15 * minutes };
}
function ofCaptchas(config: Variables, key: string, factor = 1): AttemptLimit {
  return { key, limit: config.RATE_LIMIT_CAPTCHAS_PER_10_MINUTES * factor, windowSeconds: 10 * minutes };
}
const anHour = (key: string, limit: number): AttemptLimit => ({ key, limit, windowSeconds: 60 * minutes });

/** New sessions of an address; a session needs no proof, so only this limit holds them. */
export function sessionsFrom(config: Variables, ip: string | null): AttemptLimit {
  return { key: `sessions-from:${networkOf(ip)}`, limit: config.RATE_LIMIT_SESSIONS_PER_10_MINUTES, windowSeconds: 10 * minutes };
}

export const captchasOf = (config: Variables, sessionId: string) => ofCaptchas(config, `captcha:${sessionId}`);
export const captchasFrom = (config: Variables, ip: string | null) => ofCaptchas(config, `captchas-from:${networkOf(ip)}`, addressFactor);

/** Logins of an address into any account. */
export const loginsFrom = (config: Variables, ip: string | null) => ofLogins(config, `logins-from:${networkOf(ip)}`, addressFactor);

/** A /48 has the limit of three /64 networks: an attacker may own all networks of a /48. */
const wideFactorIPv6 = 3;
/** A /24 has the limit of ten addresses: the addresses of an IPv4 network belong to different customers. */
const wideFactorIPv4 = 10;

/** Logins of a wider network, an IPv6 /48 or an IPv4 /24; logins from a known address are not counted (ACC-15). */
export function loginsFromWide(config: Variables, ip: string | null): AttemptLimit {
  const factor = isIP(ip ?? '') === 4 ? wideFactorIPv4 : wideFactorIPv6;
  return ofLogins(config, `logins-from-wide:${wideNetworkOf(ip)}`, addressFactor * factor);
}

/** Logins of an address into one account. */
export const loginsOfPair = (config: Variables, email: string, ip: string | null) =>
  ofLogins(config, `login:${networkOf(ip)}:${hashToken(email)}`);

/** Logins into one account from any address. */
export const loginsInto = (config: Variables, email: string) => ofLogins(config, `logins-into:${hashToken(email)}`);

/** Wrong passwords given as confirmation for an account. */
export const confirmationsOf = (config: Variables, userId: number) => ofLogins(config, `password:${userId}`);
export const confirmationsFrom = (config: Variables, ip: string | null) =>
  ofLogins(config, `passwords-from:${networkOf(ip)}`, addressFactor);

/** Codes that were tried for an account's second factor (ACC-28). */
export function secondFactorsOf(userId: number): AttemptLimit {
  return { key: `second-factor:${userId}`, limit: 10, windowSeconds: 15 * minutes };
}

/** Exports with data of many people that an account asks for, of all kinds together. */
export const exportsOf = (config: Variables, userId: number) => anHour(`exports:${userId}`, config.RATE_LIMIT_EXPORTS_PER_HOUR);

/** Recovery mails to one account (ACC-22). */
export const resetsOf = (config: Variables, email: string) => anHour(`resets-of:${hashToken(email)}`, config.RATE_LIMIT_RESETS_PER_HOUR);

/** Recovery mails to any account that an address asks for. */
export const resetsFrom = (config: Variables, ip: string | null) =>
  anHour(`resets-from:${networkOf(ip)}`, config.RATE_LIMIT_RESETS_PER_HOUR * addressFactor);

/** Further confirmation links of one account (ACC-24). */
export const confirmationLinksOf = (userId: number) => anHour(`email-confirmations:${userId}`, 3);

/** An address stays known for 30 days after the last sign-in. */
const knownMs = 30 * 24 * 60 * 60_000;

/** Key of a row among the counters, which the sweeper deletes on expiry. Hashed, so that it does not reveal where a person signs in. */
function keyOf(email: string, ip: string | null): string {
  return `signed-in:${hashToken(`${networkOf(ip)} ${email}`)}`;
}

/**
 * Records that the account's holder signed in from this address (ACC-15).
 * @param email in lower case
 * @returns whether the address was unknown: of concurrent calls one returns true
 */
export async function rememberAddress(platform: Pick<Platform, 'orm'>, email: string, ip: string | null): Promise<boolean> {
  const present = new Date();
  const { count } = await databaseOf(platform.orm.em.fork())
    .insertInto('attempt_counts')
    .values({ key: keyOf(email, ip), count: 1, resetsAt: new Date(present.getTime() + knownMs) })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        count: eb.case().when('attempt_counts.resetsAt', '<=', present).then(eb.lit(1)).else(eb.lit(2)).end(),
        resetsAt: eb.ref('excluded.resetsAt'),
      })),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count === 1;
}

/** Far beyond the life of an account. */
const alwaysSeconds = 100 * 365 * 24 * 60 * minutes;

/**
 * Records a login, after `rememberAddress`.
 * @param email in lower case
 * @returns whether the account had a login with its password before
 */
async function rememberLogin(platform: Pick<Platform, 'orm'>, email: string): Promise<boolean> {
  const ofAccount = { key: `logged-in:${hashToken(email)}`, limit: highestCount, windowSeconds: alwaysSeconds };
  return (await recordAttempt(platform, ofAccount)).count > 1;
}

/**
 * Records a whole login: its address is known from now on (ACC-15).
 * @param email in lower case
 * @returns whether the owner must learn of a new network: not at the first login, and once for each network in 30 days (ACC-25)
 */
export async function rememberSignIn(platform: Pick<Platform, 'orm'>, email: string, ip: string | null): Promise<boolean> {
  const isNew = await rememberAddress(platform, email, ip);
  return (await rememberLogin(platform, email)) && isNew;
}

/** Whether the account's holder signed in from this address in the last 30 days. */
export async function isKnownAddress(platform: Pick<Platform, 'orm'>, email: string, ip: string | null): Promise<boolean> {
  const known = await databaseOf(platform.orm.em.fork())
    .selectFrom('attempt_counts')
    .select('key')
    .where('key', '=', keyOf(email, ip))
    .where('resetsAt', '>', new Date())
    .executeTakeFirst();
  return known !== undefined;
}
