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
 * The secrets of this data directory, made at random the first time and kept in `<dataDir>/secrets.json` (mode 600).
 * @throws {EmbeddedError} when the file is there but cannot be understood: the database could not be opened without it.
 */
export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, fileName);
  const kept = readSecrets(dataDir);
  if (kept !== null) return kept;
  const made: Secrets = {
    postgresPassword: random(),
    applicationPassword: random(),
    sessionSecret: random(),
    bankSecret: random(),
    administratorPassword: random().slice(0, 20),
  };
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
  return made;
}

/**
 * The same where they have been made already; null where they have not.
 * @throws {EmbeddedError} when the file is there but cannot be understood or read.
 */
export function readSecrets(dataDir: string): Secrets | null {
  const path = join(dataDir, fileName);
  if (!existsSync(path)) return null;
  try {
    return secrets.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new EmbeddedError(`${path} is damaged; put it back from a copy, or remove ${dataDir} to start with empty data`, {
      cause: error,
    });
  }
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The secret that the simulator of the bot platform shows in the embedded run; it follows from a secret of the data directory and is kept
 * nowhere.
 */
export function botWebhookSecretOf(secrets: Pick<Secrets, 'sessionSecret'>): string {
  return createHmac('sha256', secrets.sessionSecret).update('webhook of the bot').digest('base64url');
}

/** Capital letters and digits that are told apart at a glance. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 5;

/**
 * The answer by which the project's own programs pass a captcha of the embedded run, `CAPTCHA_FIXED_ANSWER` there: the picture is made so
 * that a program cannot read it, and only its hash is kept. It follows from a secret of the data directory, so only a reader of that
 * directory can compute it; people still solve the pictures.
 */
export function captchaAnswerOf(secrets: Pick<Secrets, 'sessionSecret'>): string {
  const digest = createHmac('sha256', secrets.sessionSecret).update('captcha answer of programs').digest();
  return Array.from(digest.subarray(0, length), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
