import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { DomainError } from '../../errors.ts';
import { networkOf, wideNetworkOf } from '../../http/request/client-address.ts';
import { databaseOf } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { FairTurns } from '../../platform/turns/fair-turns.ts';
import { WindowCounts } from '../../platform/turns/window-counts.ts';
import { confirmationsFrom, confirmationsOf, countAttempt, refundAttempt, resetAttempts } from './attempt-limits.ts';
import { hashToken } from './secret-tokens.ts';

/** argon2id as OWASP recommends it (ACC-1): 19 MiB (in KiB), two passes, one lane. Stored hashes keep their own parameters. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;
const saltBytes = 16;

const derive = promisify(argon2);

/** The caller that needs a hash. Callers of one address wait for each other, not for callers of other addresses. */
export interface HashedFor {
  /** Null for a caller outside HTTP. */
  ip: string | null;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
  /** The account that the caller proved to hold: by an earlier sign-in from this address, a session or a link. Has priority (ACC-15). */
  knownAs?: string;
}

/**
 * Hashes a password into a PHC string: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`.
 * @throws {DomainError} rate_limited, service_unavailable, when too many hashes are requested from this address or from all
 */
export async function hashPassword(password: string, asker: HashedFor): Promise<string> {
  const nonce = randomBytes(saltBytes);
  const tag = await inTurn(asker, () => derive('argon2id', { ...parameters, message: normalize(password), nonce, tagLength: tagBytes }));
  return encode({ ...parameters, salt: nonce, tag });
}

/** Verifies a password against a hash. @throws {DomainError} rate_limited, service_unavailable, as `hashPassword` */
export async function verifyPassword(password: string, hash: string, asker: HashedFor): Promise<boolean> {
  const { salt, tag, memory, passes, parallelism } = decode(hash);
  const given = await inTurn(asker, () =>
    derive('argon2id', { memory, passes, parallelism, message: normalize(password), nonce: salt, tagLength: tag.length }),
  );
  return timingSafeEqual(given, tag);
}

/** A hash that matches no password. Its verification takes as long as a real one, so that timing reveals no e-mail (ACC-2). */
export const dummyHash = encode({ ...parameters, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) });

interface EncodedHash {
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  tag: Buffer;
}

function encode({ memory, passes, parallelism, salt, tag }: EncodedHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

function decode(hash: string): EncodedHash {
  const [, memory, passes, parallelism, salt, tag] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash) ?? [];
  if (!salt || !tag) throw new Error('not an argon2id hash');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '');
}

/** Two keyboards may send one password as different code points (NIST SP 800-63B §5.1.1.2). */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Queue of derivations. Each holds 19 MiB and a thread of the pool that also reads files; two at once bound both.
 *
 * Anonymous callers can start derivations, so addresses take turns. Known callers come before unknown ones and displace them when the
 * queue is full (ACC-15). Within both groups, the account or wider network with the fewest recent derivations is first.
 */
const turns = new FairTurns<string>({ atOnce: 2, waitingEach: 8, waitingInAll: 200 });
const derivations = new WindowCounts(15 * 60_000, 50_000);
/** Added to the rank of unknown callers: above any count of a window. */
const behindKnown = 1e9;

function inTurn<Result>({ ip, signal, knownAs }: HashedFor, work: () => Promise<Result>): Promise<Result> {
  const key = knownAs === undefined ? `network:${wideNetworkOf(ip)}` : `account:${hashToken(knownAs)}`;
  const rank = (): number => (knownAs === undefined ? behindKnown : 0) + derivations.read(key).count;
  // A known caller is its own party: unknown callers of its address do not fill its places.
  const party = knownAs === undefined ? networkOf(ip) : `${key} ${networkOf(ip)}`;
  const counted = (): Promise<Result> => {
    derivations.add(key);
    return work();
  };
  return turns.take(party, counted, { signal, rank });
}

/**
 * Confirms by password that the person acts, not another at their unlocked browser (ACC-9). Call it before the command's transaction,
 * which must not wait for the hashing. Counts wrong passwords by account and by address, so that a stolen session cannot guess (ACC-15).
 * @throws {DomainError} password_confirmation_failed, rate_limited
 */
export async function requirePassword(
  platform: Pick<Platform, 'orm' | 'config'>,
  userId: number,
  password: string,
  asker: HashedFor,
): Promise<void> {
  const ofAccount = confirmationsOf(platform.config, userId);
  const ofAddress = confirmationsFrom(platform.config, asker.ip);
  await countAttempt(platform, ofAccount);
  await countAttempt(platform, ofAddress);
  const db = databaseOf(platform.orm.em.fork());
  const user = await db.selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst();
  const isRight = await verifyPassword(password, user?.passwordHash ?? dummyHash, { ...asker, knownAs: String(userId) });
  if (!isRight) throw new DomainError('password_confirmation_failed');
  await resetAttempts(platform, ofAccount.key);
  await refundAttempt(platform, ofAddress.key);
}
