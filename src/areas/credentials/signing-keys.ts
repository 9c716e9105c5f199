import { sql } from 'kysely';
import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { commit, type CommandPlatform } from '../../platform/commands/command.ts';
import { type Database, databaseOf } from '../../platform/database/database.ts';
import { decryptSecret, EncryptedAnew, encryptSecret, renewSecret } from '../../platform/secrets/encryption.ts';
import { causeOf } from '../../platform/logging/log.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Signer } from './signed-token.ts';

/** A public key as `GET /.well-known/jwks.json` publishes it. */
export interface PublishedKey {
  kty: 'OKP';
  crv: 'Ed25519';
  alg: 'EdDSA';
  use: 'sig';
  kid: string;
  x: string;
}

/** Hours from the publication of a key to its first signature, because verifiers cache the keys for an hour. */
const hoursToSign = 1;
/** Days for which a key stays published after its last signature. */
const daysPublished = 400;

const placeOf = (kid: string) => ({ purpose: 'signing keys', record: `signing key ${kid}` });

/** A signature is impossible: no key is in effect. */
export class NoSigningKeyError extends Error {
  constructor() {
    super('No signing key is in effect. The first one is made at the start of an API or worker; see `npm run registry -- check`.');
    this.name = 'NoSigningKeyError';
  }
}

/**
 * Makes and publishes the next signing key; it signs an hour later, the registry's first key at once (VER-9).
 * @param keys ENCRYPTION_KEY
 * @returns null when `onlyFirst` and there is a key
 */
export async function addSigningKey(
  platform: CommandPlatform,
  keys: string,
  { onlyFirst = false } = {},
): Promise<{ kid: string; signsFrom: Date } | null> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = thumbprintOf(x);
  const sealed = encryptSecret(keys, String(privateKey.export({ format: 'pem', type: 'pkcs8' })), placeOf(kid));
  return commit(platform, { actor: { kind: 'process' }, requestId: 'keys-rotate', ip: null }, async ({ db }) => {
    // Two processes that start at the same time make one first key.
    await sql`select pg_advisory_xact_lock(${sql.lit(keysLock)})`.execute(db);
    const first = await db.selectFrom('signing_keys').select('kid').limit(1).executeTakeFirst();
    if (onlyFirst && first) return null;
    return db
      .insertInto('signing_keys')
      .values({
        kid,
        publicKey: x,
        privateKey: sealed,
        publishedAt: sql<Date>`now()`,
        signsFrom: sql<Date>`now() + interval '1 hour' * ${sql.lit(first === undefined ? 0 : hoursToSign)}`,
      })
      .returning(['kid', 'signsFrom'])
      .executeTakeFirstOrThrow();
  });
}
const keysLock = 7_245_005;

/** The RFC 7638 thumbprint of an Ed25519 key. @param x of its JWK */
function thumbprintOf(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}

/** Lists the public keys: all but those that signed last more than 400 days ago (VER-9). */
export async function listPublishedKeys(db: Database): Promise<PublishedKey[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .select(['kid', 'publicKey'])
    // A day more, because `last_signed_at` is exact to the day.
    .where((eb) =>
      eb.or([eb('lastSignedAt', 'is', null), eb('lastSignedAt', '>', sql<Date>`now() - interval '1 day' * ${sql.lit(daysPublished + 1)}`)]),
    )
    .orderBy('signsFrom', 'desc')
    .execute();
  return rows.map(({ kid, publicKey }) => ({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x: publicKey }));
}

/**
 * Reads the key in effect and notes that it signs: the newest one that has been published for an hour (VER-9).
 * @param keys ENCRYPTION_KEY
 * @throws {NoSigningKeyError}
 */
export async function takeSigner(db: Database, keys: string): Promise<Signer> {
  const { signer, isNoted } = await readSigner(db, keys);
  if (!isNoted)
    await db
      .updateTable('signing_keys')
      .set({ lastSignedAt: sql<Date>`now()` })
      .where('kid', '=', signer.kid)
      .execute();
  return signer;
}

/** `isNoted`: the key has signed within a day. */
async function readSigner(db: Database, keys: string): Promise<{ signer: Signer; isNoted: boolean }> {
  const key = await db
    .selectFrom('signing_keys')
    .select(['kid', 'privateKey', sql<boolean>`coalesce(last_signed_at >= now() - interval '1 day', false)`.as('isNoted')])
    .where('signsFrom', '<=', sql<Date>`now()`)
    .orderBy('signsFrom', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (key === undefined) throw new NoSigningKeyError();
  const { secret } = decryptSecret(keys, key.privateKey, placeOf(key.kid));
  return { signer: { kid: key.kid, privateKey: createPrivateKey(secret) }, isNoted: key.isNoted };
}

/**
 * Encrypts the private keys with the first key of ENCRYPTION_KEY. May be repeated. Goes on after one that no key decrypts.
 */
export async function encryptKeysAnew(platform: CommandPlatform, keys: string): Promise<EncryptedAnew> {
  return commit(platform, { actor: { kind: 'process' }, requestId: 'encrypt-secrets', ip: null }, async ({ db }) => {
    const stored = await db.selectFrom('signing_keys').select(['kid', 'privateKey']).execute();
    const done = new EncryptedAnew();
    for (const { kid, privateKey } of stored) {
      const renewed = renewSecret(keys, privateKey, placeOf(kid));
      if (renewed.state === 'renewed')
        await db.updateTable('signing_keys').set({ privateKey: renewed.stored }).where('kid', '=', kid).execute();
      done.add(kid, [renewed]);
    }
    return done;
  });
}

/**
 * Makes the registry's first signing key; for the start of an API or worker. Only a first key may sign at once: no verifier can have cached
 * a key set without it. Logs what prevents signatures; a start goes on without a key.
 */
export async function prepareSigningKeys(platform: CommandPlatform & Pick<Platform, 'config' | 'log'>): Promise<void> {
  const { config, log, orm } = platform;
  try {
    if (config.ENCRYPTION_KEY !== undefined) await addSigningKey(platform, config.ENCRYPTION_KEY, { onlyFirst: true });
    const problem = await findSigningProblem(databaseOf(orm.em.fork()), config.ENCRYPTION_KEY);
    if (problem !== null) log.warn({ cause: problem }, 'certificates cannot be signed');
  } catch (error) {
    log.warn({ cause: causeOf(error) }, 'the signing keys could not be read at the start');
  }
}

/** Says what prevents signatures, for an operator; null when a key is in effect. @param keys ENCRYPTION_KEY */
export async function findSigningProblem(db: Database, keys: string | undefined): Promise<string | null> {
  if (keys === undefined) return 'ENCRYPTION_KEY is missing: certificates cannot be signed';
  try {
    await readSigner(db, keys);
    return null;
  } catch (error) {
    return causeOf(error);
  }
}
