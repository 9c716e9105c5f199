import { z } from 'zod';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedError } from './errors.ts';

const secrets = z.strictObject({
  postgresPassword: z.string(),
  applicationPassword: z.string(),
  sessionSecret: z.string(),
  bankSecret: z.string(),
  administratorPassword: z.string(),
});

export type Secrets = z.infer<typeof secrets>;

const fileName = 'secrets.json';

/**
 * Returns the secrets of a data directory, generated the first time and stored in `<dataDir>/secrets.json` (mode 600).
 * @throws {EmbeddedError} when the file is damaged: the database cannot be opened without it
 */
export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, fileName);
  const stored = readSecrets(dataDir);
  if (stored !== null) return stored;
  const names = Object.keys(secrets.shape) as (keyof Secrets)[];
  const generated = Object.fromEntries(names.map((name) => [name, random()])) as Secrets;
  const made: Secrets = { ...generated, administratorPassword: random().slice(0, 20) };
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
  return made;
}

/**
 * The same for existing secrets; null without them.
 * @throws {EmbeddedError} when the file is damaged or unreadable
 */
export function readSecrets(dataDir: string): Secrets | null {
  const path = join(dataDir, fileName);
  if (!existsSync(path)) return null;
  try {
    return secrets.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new EmbeddedError(`${path} is damaged; restore it from a backup, or delete ${dataDir} to start with empty data`, {
      cause: error,
    });
  }
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

/** Derives `ENCRYPTION_KEY` of the embedded run from a secret of the data directory. */
export function encryptionKeyOf({ sessionSecret }: Pick<Secrets, 'sessionSecret'>): string {
  return createHmac('sha256', sessionSecret).update('encryption of secrets').digest('base64url');
}

/** Derives the bot's webhook secret of the embedded run from a secret of the data directory. */
export function botWebhookSecretOf(secrets: Pick<Secrets, 'sessionSecret'>): string {
  return createHmac('sha256', secrets.sessionSecret).update('webhook of the bot').digest('base64url');
}

/** Capital letters and digits that are easy to distinguish. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 5;

/**
 * Derives the fixed captcha answer of the embedded run (`CAPTCHA_FIXED_ANSWER`) from a secret of the data directory. The project's own
 * programs use it; people solve the pictures.
 */
export function captchaAnswerOf(secrets: Pick<Secrets, 'sessionSecret'>): string {
  const digest = createHmac('sha256', secrets.sessionSecret).update('captcha answer of programs').digest();
  return Array.from(digest.subarray(0, length), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
