import { distance } from 'fastest-levenshtein';
import { secretsIn } from '../platform/secrets/secret-list.ts';

/** Values that stand in files of the repository or in its history. */
const publishedSecrets: ReadonlySet<string> = new Set([
  'compose-session-secret-compose-session-secret',
  'compose-bank-secret',
  'registry-storage-password',
]);

const leastSecretLength = 32;
/** 32 random hexadecimal digits, such as `openssl rand -hex 16`, have fewer different ones in one of 28 million cases. */
const leastDifferentCharacters = 8;
const randomSecrets = ['SESSION_SECRET', 'ENCRYPTION_KEY', 'BANK_SECRET', 'S3_SECRET_ACCESS_KEY', 'BOT_WEBHOOK_SECRET'] as const;
const encryptedAddresses = ['BASE_URL', 'BANK_URL', 'BANK_FORM_URL', 'BANK_CALLBACK_URL', 'S3_ENDPOINT', 'BOT_API_URL'] as const;
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Variables of Temporal's own programs; close to ours by chance. */
const otherVariables: ReadonlySet<string> = new Set(['TEMPORAL_DEBUG']);

/** Names in `UNSAFE_SETTINGS`, with what each allows. */
export const unsafeSettings = {
  weak_secrets: 'secrets that are published, shorter than 32 characters, or not random',
  plain_http: 'unencrypted addresses outside loopback',
  smtp_without_tls: 'SMTP login without enforced TLS',
  privileged_database_role: 'a service role that owns tables or is a superuser',
  default_mail_from: 'the default sender of mails',
  shared_disk: '`STORAGE=disk` with several API processes',
  newer_schema: 'a database that a newer release migrated, for a rollback',
  unknown_variables: 'variables that look like a misspelt one',
} as const;

export type UnsafeSetting = keyof typeof unsafeSettings;

/** A setting that production refuses, unless `UNSAFE_SETTINGS` names it. */
export interface UnsafeFinding {
  setting: UnsafeSetting;
  words: string;
}

type Given = Readonly<Record<string, string | undefined>>;

/**
 * Finds settings that are valid and unsafe in production. Checks of the database are in `src/platform/database/check-schema.ts`.
 * @param env non-empty variables
 * @param known names of all variables
 */
export function findUnsafeSettings(env: Given, known: readonly string[]): UnsafeFinding[] {
  return [...weakSecrets(env), ...plainAddresses(env), ...mailProblems(env), ...misspeltVariables(env, known)];
}

/** Variables that may name several secrets. */
const lists: ReadonlySet<string> = new Set(['SESSION_SECRET', 'ENCRYPTION_KEY']);

function weakSecrets(env: Given): UnsafeFinding[] {
  return randomSecrets.flatMap((name) => {
    const value = env[name] ?? null;
    const secrets = value === null ? [] : lists.has(name) ? secretsIn(value) : [value];
    return secrets
      .map(weaknessOf)
      .filter((problem) => problem !== null)
      .map((problem) => ({ setting: 'weak_secrets', words: `${name} ${problem}` }) as const);
  });
}

function weaknessOf(secret: string): string | null {
  if (publishedSecrets.has(secret)) return 'is published in the repository';
  if (secret.length < leastSecretLength) return `is shorter than ${leastSecretLength} characters`;
  return new Set(secret).size < leastDifferentCharacters ? 'is not random: it repeats few characters' : null;
}

function plainAddresses(env: Given): UnsafeFinding[] {
  return encryptedAddresses.flatMap((name) => {
    const url = parseUrl(env[name]);
    const isPlain = url?.protocol === 'http:' && !loopbackHosts.has(url.hostname);
    return isPlain ? [{ setting: 'plain_http', words: `${name} is not https` } as const] : [];
  });
}

function mailProblems(env: Given): UnsafeFinding[] {
  const url = parseUrl(env['SMTP_URL']);
  const isOpen = url?.protocol === 'smtp:' && url.username !== '' && url.searchParams.get('requireTLS') !== 'true';
  return [
    ...(isOpen
      ? [
          {
            setting: 'smtp_without_tls',
            words: 'SMTP_URL sends the login without enforced TLS: use smtps://, or add ?requireTLS=true',
          } as const,
        ]
      : []),
    ...(url !== null && env['MAIL_FROM'] === undefined
      ? [{ setting: 'default_mail_from', words: 'MAIL_FROM is missing: mails would come from registry@localhost' } as const]
      : []),
  ];
}

function misspeltVariables(env: Given, known: readonly string[]): UnsafeFinding[] {
  const names: ReadonlySet<string> = new Set(known);
  return Object.keys(env).flatMap((name) => {
    if (names.has(name) || otherVariables.has(name)) return [];
    const meant = known.find((candidate) => distance(name, candidate) <= allowedDistance(candidate));
    return meant === undefined ? [] : [{ setting: 'unknown_variables', words: `${name} is unknown: ${meant} is meant?` } as const];
  });
}

/** Short names are close to unrelated ones, such as PORT to PATH. */
function allowedDistance({ length }: string): number {
  return length < 6 ? 0 : length < 10 ? 1 : 2;
}

/**
 * Finds a process without NODE_ENV whose addresses are those of a production: it would start with the conveniences of development.
 * @returns null, or what to set
 */
export function missingEnvironment(env: Given): string | null {
  if (env['NODE_ENV'] !== undefined) return null;
  const isPublic = parseUrl(env['BASE_URL'])?.protocol === 'https:';
  const isElsewhere = [env['DATABASE_URL'], env['TEMPORAL_ADDRESS'] && `tcp://${env['TEMPORAL_ADDRESS']}`].some((address) => {
    const url = parseUrl(address);
    return url !== null && url.hostname !== '' && !loopbackHosts.has(url.hostname);
  });
  return isPublic && isElsewhere ? 'NODE_ENV is missing, and the addresses are those of a production: set NODE_ENV=production' : null;
}

function parseUrl(text: string | undefined): URL | null {
  return text === undefined ? null : URL.parse(text);
}
