import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { DomainError } from '../errors.ts';

/** argon2id as OWASP recommends it: 19 MiB (in KiB), two passes, one lane. Older hashes keep the parameters written in them. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;
const saltBytes = 16;

const derive = promisify(argon2);

/** Hash of a password, as a PHC string: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`. @throws {DomainError} service_unavailable */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes);
  const tag = await inTurn(() => derive('argon2id', { ...parameters, message: normalize(password), nonce, tagLength: tagBytes }));
  return encode({ ...parameters, salt: nonce, tag });
}

/** Whether the password is the one of the hash. @throws {DomainError} service_unavailable */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const { salt, tag, memory, passes, parallelism } = decode(hash);
  const given = await inTurn(() =>
    derive('argon2id', { memory, passes, parallelism, message: normalize(password), nonce: salt, tagLength: tag.length }),
  );
  return timingSafeEqual(given, tag);
}

/** Fits no password; verifying against it takes as long as against a real one, so that an unknown e-mail cannot be told by time. */
export const hashOfNobody = encode({ ...parameters, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) });

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
  return bytes.toString('base64').replace(/=+$/, '');
}

/** One password typed on two keyboards may arrive as other code points (NIST SP 800-63B §5.1.1.2). */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

/** Each derivation holds 19 MiB and a thread of the pool that files are read with: two at once bound both. */
const atOnce = 2;
const longestQueue = 200;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < atOnce) {
    running += 1;
  } else {
    if (waiting.length >= longestQueue) throw new DomainError('service_unavailable');
    // Whoever is done hands its place over, so `running` stays as it is.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
