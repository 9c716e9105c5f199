import { z } from 'zod';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { patches } from '../../workflows/patches.ts';
import { proxiesIn } from '../http/request/client-address.ts';
import { errorCode } from '../platform/logging/error-code.ts';
import { secretsIn } from '../platform/secrets/secret-list.ts';
import type { StorageVariables } from '../platform/storage/create-storage.ts';
import { asciiDomain, withoutTrailing } from '../platform/text.ts';
import { type Need, needsOf, type ProcessPart, requiredVariables, taskQueues } from './process-needs.ts';
import { findUnsafeSettings, missingEnvironment, type UnsafeSetting, unsafeSettings } from './unsafe-settings.ts';

/**
 * The only reader of `process.env`. Describes every variable once; tests compare `docs/configuration.md`, the compose file and the start-up
 * message with it.
 */

const text = z.string().trim().min(1);
const port = z.coerce.number().int().min(1).max(65535);
const seconds = z.coerce.number().positive();
const count = z.coerce.number().int().positive();
/** Several secrets separated by commas (`secretsIn`). */
const secretList = z
  .string()
  .refine((list) => secretsIn(list).every((secret) => secret.length >= 32), 'must have at least 32 characters, each of several too');
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** Names from a list, separated by commas. */
function listOf<Name extends string>(known: readonly Name[], what: string) {
  return z.string().transform((value, context) => {
    const names = value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const found = names.flatMap((name) => known.find((candidate) => candidate === name) ?? []);
    for (const name of names.filter((candidate) => !found.some((one) => one === candidate)))
      context.addIssue({ code: 'custom', message: `unknown ${what} "${name}"; known: ${known.join(', ') || 'none'}` });
    return found;
  });
}

/** Addresses of proxies, separated by commas (`proxiesIn`). */
const proxyList = z.string().transform((value, context) => {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries)
    try {
      proxiesIn([entry]);
    } catch {
      context.addIssue({ code: 'custom', message: `"${entry}" is no address, no CIDR, and not loopback, linklocal or uniquelocal` });
    }
  return entries;
});

const variables = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development').describe('`production` refuses what only developers need'),
  PORT: port.default(8080).describe('port of the API'),
  HOST: text.default('127.0.0.1').describe('address the API listens on'),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('public address, as in QR codes and mails; https makes cookies `Secure`; unset: `http://localhost:PORT`'),
  BRAND_FILE: text
    .optional()
    .describe('JSON file with `name` (`kk`, `ru`, `en`), `crest` (an SVG beside it) and `colour` of the federation, for pages and PDFs'),
  METRICS_PORT: port
    .optional()
    .describe('port of `/metrics` and the probes, for API and worker, closed to the public; unset: `PORT`, and none for a worker'),
  METRICS_HOST: text.optional().describe('address that `METRICS_PORT` listens on; unset: `HOST`'),
  SHUTDOWN_DELAY_SECONDS: z.coerce
    .number()
    .min(0)
    .max(300)
    .optional()
    .describe('seconds for which an API serves on after SIGTERM, not ready; unset: 5 in production, else 0'),
  TRUST_PROXY: proxyList
    .default([])
    .describe(
      'addresses of the proxies whose `X-Forwarded-For` counts, separated by commas: addresses, CIDRs, `loopback`, `linklocal`, `uniquelocal`; the API ignores the header of any other address',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('lowest level written: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OTLP/HTTP receiver of traces, without `/v1/traces`; unset: no traces'),
  DATA_DIR: text.default('.data').describe('folder of embedded servers, files, mails, logs and cached programs'),

  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe("PostgreSQL 15 or newer, with the service's login; unset: `npm start` runs one"),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('the same database with the role that owns the tables, for `npm run registry -- migrate`'),
  DATABASE_POOL: count.default(20).describe('maximum connections of each API and worker process'),

  TEMPORAL_ADDRESS: text.optional().describe('host:port of Temporal; unset: `npm start` runs one'),
  TEMPORAL_NAMESPACE: text.default('default').describe('Temporal namespace of the workflows'),
  TEMPORAL_UI_URL: z.url().optional().describe('address of the Temporal UI, for links that administrators see'),
  TEMPORAL_TLS_CA: text.optional().describe('file with the CA certificate (PEM)'),
  TEMPORAL_TLS_CERT: text.optional().describe('file with the client certificate (PEM)'),
  TEMPORAL_TLS_KEY: text.optional().describe('file with the client key (PEM)'),
  TEMPORAL_TLS_SERVER_NAME: text.optional().describe('name expected in the server certificate'),
  TEMPORAL_API_KEY: text.optional().describe('API key of Temporal; turns TLS on'),
  TEMPORAL_PORT: port.default(7233).describe('port of the embedded Temporal'),
  TEMPORAL_UI_PORT: port.default(8233).describe('port of the embedded Temporal UI'),
  POSTGRES_PORT: port.default(5433).describe('port of the embedded database'),
  BANK_SIMULATOR_PORT: port.default(8090).describe('port of the bank simulator'),
  MAIL_PORT: port.default(8093).describe('port of the embedded mail server (SMTP)'),
  MAIL_UI_PORT: port.default(8094).describe('port of the page that shows its mails'),
  WORKER_METRICS_PORT: port.default(8095).describe('`METRICS_PORT` of the embedded worker'),
  PORT_BASE: port
    .max(65_000)
    .optional()
    .describe('first port of `npm start`: each of its ports that is not set follows in order, the API first'),
  TEMPORAL_CLI_PATH: text.optional().describe('path of the `temporal` program'),
  TEMPORAL_TEST_SERVER_PATH: text.optional().describe('path of the time-skipping test server, for `npm test`'),
  INACTIVE_PATCHES: listOf(Object.values<string>(patches), 'change of a workflow')
    .default([])
    .describe(
      'changes of workflows (`workflows/patches.ts`) that no process passes yet: until every worker has the release that knows them',
    ),
  WORKER_QUEUES: listOf(taskQueues, 'queue')
    .default([...taskQueues])
    .describe('task queues of this worker, separated by commas; each queue needs a worker'),

  ADMIN_EMAIL: z
    .string()
    .overwrite(asciiDomain)
    .pipe(z.email())
    .or(z.literal('admin@localhost'))
    .default('admin@localhost')
    .describe('e-mail of the first administrator'),
  ADMIN_PASSWORD: z.string().min(12).optional().describe('password of the first administrator, at least 12 characters; unset: generated'),

  BANK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('base address of the bank; unset: payments answer 503'),
  BANK_FORM_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address of the payment form for browsers; unset: `pay` under `BANK_URL`'),
  BANK_CALLBACK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address of `POST /bank/callback` for the bank; unset: under `BASE_URL`'),
  BANK_TERMINAL: text.optional().describe('terminal of the federation at the bank; required with `BANK_URL`'),
  BANK_SECRET: text.optional().describe('secret shared with the bank; required with `BANK_URL`'),
  // A client that waits for a bank query receives an answer within five seconds (`workflows/activity-profiles.ts`).
  BANK_TIMEOUT_SECONDS: seconds.max(4).default(4).describe('time limit of one payment status query, at most 4'),

  STORAGE: z.enum(['disk', 's3']).default('disk').describe('where files are stored: `disk` (`DATA_DIR/files`) or `s3`'),
  S3_ENDPOINT: z.url().optional().describe('address of S3-compatible storage; unset: AWS'),
  S3_REGION: text.default('us-east-1').describe('region of the storage'),
  S3_BUCKET: text.optional().describe('bucket of the files; required with `s3`'),
  S3_ACCESS_KEY_ID: text.optional().describe('access key of the storage; required with `s3`'),
  S3_SECRET_ACCESS_KEY: text.optional().describe('secret key of the storage; required with `s3`'),
  S3_FORCE_PATH_STYLE: flag.default(true).describe('bucket in the path, not in the host name'),

  WEBHOOK_ALLOWED_HOSTS: z
    .string()
    .transform((list) =>
      list
        .split(',')
        .map((host) => host.trim().toLowerCase())
        .filter((host) => host !== ''),
    )
    .default([])
    .describe('hosts of webhooks that may have private addresses, as in their URLs, separated by commas'),

  CLAMAV_URL: z.url({ protocol: /^tcp$/ }).optional().describe('clamd that scans each upload, such as `tcp://clamav:3310`; unset: no scan'),
  CLAMAV_TIMEOUT_SECONDS: seconds.default(10).describe('time limit of one scan'),

  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('mail server; unset: `npm start` runs one that delivers nothing; without it, files under `DATA_DIR/mail`'),
  MAIL_FROM: text.default('Registry <registry@localhost>').describe('sender of mails'),

  BOT_TOKEN: text
    .regex(/^[\w:-]+$/, 'must be a token of the bot platform')
    .optional()
    .describe('token of the messaging bot; unset: its routes answer 503'),
  BOT_API_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of the bot platform; unset: the platform's own, or a simulator with `npm start`"),
  BOT_USERNAME: text
    .regex(/^\w{3,32}$/, 'must be the name of a bot, without @')
    .optional()
    .describe('name of the bot, without `@`; required with `BOT_TOKEN`, except with the simulator'),
  BOT_WEBHOOK_SECRET: text
    .regex(/^[\w-]{16,256}$/, 'must have 16 to 256 letters, digits, _ or -')
    .optional()
    .describe('secret of the webhook, 16 to 256 letters, digits, `_` or `-`; required with `BOT_TOKEN`, except with the simulator'),
  BOT_WEBHOOK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address of `POST /messaging-bot/webhook` for the platform; unset: under `BASE_URL`'),
  BOT_SIMULATOR_PORT: port.default(8091).describe('port of the bot simulator'),
  WEBHOOK_RECEIVER_PORT: port.default(8092).describe('port of the webhook receiver, a simulator'),

  SESSION_SECRET: secretList
    .optional()
    .describe(
      'signs cookies, encrypts client addresses in Temporal, keys hashes of requests; at least 32 characters, the same for API and workers; several separated by commas: the first signs, all verify',
    ),
  ENCRYPTION_KEY: secretList
    .optional()
    .describe(
      'encrypts secrets in the database; at least 32 characters, the same for API and workers; several separated by commas: the first encrypts, all decrypt; unset: no second factor, no signing of certificates',
    ),
  SECOND_FACTOR: z
    .enum(['optional', 'administrators'])
    .default('optional')
    .describe('`administrators`: an administrator without a second factor can only set one up'),
  CAPTCHA_FIXED_ANSWER: z.string().length(5).optional().describe('five characters that every captcha accepts, for tests'),
  SANDBOX: flag.default(false).describe('allows moving the clock; `npm start` turns it on'),

  RATE_LIMIT_KEY_PER_MINUTE: count
    .default(300)
    .describe('requests a minute per key or session, and per IP without one; ten times as many in all per IP'),
  RATE_LIMIT_PUBLIC_PER_MINUTE: count.default(60).describe('requests a minute per IP on public routes'),
  RATE_LIMIT_LOGINS_PER_15_MINUTES: count
    .default(10)
    .describe('logins per 15 minutes per IP and account, and per account from new IPs; ten times as many per IP'),
  RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: count.default(20).describe('captchas per 10 minutes per session; ten times as many per IP'),
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: count.default(100).describe('new sessions per 10 minutes per IP'),
  RATE_LIMIT_RESETS_PER_HOUR: count
    .default(3)
    .describe('recovery mails an hour per account, the answer does not tell; ten times as many per IP'),
  RATE_LIMIT_CALLBACKS_PER_MINUTE: count.default(120).describe('bank callbacks a minute per IP; ten times as many in all'),
  RATE_LIMIT_UPLOADS_PER_HOUR: count.default(200).describe('uploads an hour per account'),
  RATE_LIMIT_EXPORTS_PER_HOUR: count.default(20).describe('exports an hour per account'),
  RATE_LIMIT_STREAMS: count.default(20).describe('simultaneous live streams of one session'),
  RATE_LIMIT_STREAMS_PER_IP: count.default(200).describe('simultaneous live streams of one IP in each API process'),
  RATE_LIMIT_TINY_CHUNKS_PER_10_SECONDS: count
    .default(40_000)
    .describe('body chunks below 512 bytes per IP in 10 seconds; above that its connections are closed'),
  MAX_CONNECTIONS: count.default(4_000).describe('simultaneous connections of one API process'),
  MAX_CONNECTIONS_PER_IP: count.default(300).describe('simultaneous connections of one IP; no limit behind trusted proxies'),

  ALLOW_SHARED_DISK: flag.default(false).describe('whether several API processes share the folder of `STORAGE=disk`'),
  UNSAFE_SETTINGS: listOf(Object.keys(unsafeSettings) as UnsafeSetting[], 'name')
    .default([])
    .describe(
      `what production accepts although it is unsafe, separated by commas; logged at each start: ${Object.entries(unsafeSettings)
        .map(([name, words]) => `\`${name}\` (${words})`)
        .join(', ')}`,
    ),
  QUOTA_FILES: count.default(1000).describe('files of one account'),
  QUOTA_BYTES: count.default(1_073_741_824).describe("bytes of one account's files together"),
  ERASURE_WAIT_DAYS: z.coerce.number().int().min(0).max(365).default(14).describe('days from the request to the erasure of an account'),
  RETENTION_AGREEMENTS_YEARS: count.default(10).describe('years for which agreements of erased accounts are kept'),
  QUOTA_PROFILES: count.default(300).describe('profiles of one account'),
  QUOTA_DOCUMENTS: count.default(100).describe('documents of one profile'),
});

export { type TaskQueue, taskQueues, type WorkflowQueue, workflowQueues } from './process-needs.ts';

export type Variables = z.output<typeof variables>;
export type VariableName = keyof Variables;

/** Name, description and default of every variable, for docs/configuration.md and its test. */
export function describeVariables(): { name: VariableName; description: string; defaultValue: unknown }[] {
  return Object.entries(variables.shape).map(([name, schema]) => {
    const parsed = schema.safeParse(undefined);
    return { name: name as VariableName, description: schema.description ?? '', defaultValue: parsed.success ? parsed.data : undefined };
  });
}

/** An unusable environment; `problems` has one line for each variable. */
export class ConfigurationError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(`the configuration cannot be used:\n${problems.map((line) => `  - ${line}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

const refusedInProduction = ['CAPTCHA_FIXED_ANSWER', 'SANDBOX'] as const satisfies readonly VariableName[];

/** May be given as a file: `<NAME>_FILE` has its path. */
const secretNames = [
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'TEMPORAL_API_KEY',
  'ADMIN_PASSWORD',
  'BANK_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SMTP_URL',
  'BOT_TOKEN',
  'BOT_WEBHOOK_SECRET',
  'SESSION_SECRET',
  'ENCRYPTION_KEY',
] as const satisfies readonly VariableName[];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks the environment.
 * @param part the process that starts: only what it uses is required (`process-needs.ts`)
 * @throws {ConfigurationError} with all problems: bad values, what production requires or refuses, incomplete pairs, unsafe settings
 */
export function loadConfig(env: Environment = process.env, part: ProcessPart = 'all'): Variables {
  const { given, problems } = readGiven(env);
  const parsed = variables.safeParse(given);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const needs = needsOf(part, variables.shape.WORKER_QUEUES.safeParse(given['WORKER_QUEUES']).data);
  if (given['NODE_ENV'] === 'production') problems.push(...problemsOfProduction(given, needs));
  const environmentProblem = missingEnvironment(given);
  if (environmentProblem !== null) problems.push(environmentProblem);
  if (needs.has('bank') && given['BANK_URL'])
    for (const name of ['BANK_TERMINAL', 'BANK_SECRET'] as const) if (!given[name]) problems.push(`${name} is missing: BANK_URL is set`);
  if (needs.has('encryption') && given['SECOND_FACTOR'] === 'administrators' && !given['ENCRYPTION_KEY'])
    problems.push('ENCRYPTION_KEY is missing: SECOND_FACTOR is administrators');
  if (needs.has('bot')) problems.push(...problemsOfBot(given));
  if (needs.has('files') && given['STORAGE'] === 's3')
    for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
      if (!given[name]) problems.push(`${name} is missing: STORAGE is s3`);
  if (!parsed.success || problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
  return parsed.data;
}

/**
 * Reads the variables of the database and the storage alone, for `npm run registry -- migrate`.
 * @throws {ConfigurationError}
 */
export function loadMigrationConfig(env: Environment = process.env): {
  databaseUrl: string;
  migrationUrl: string;
  storage: StorageVariables;
} {
  const { given, problems } = readGiven(env);
  const parsed = variables
    .pick({
      DATABASE_URL: true,
      MIGRATION_DATABASE_URL: true,
      STORAGE: true,
      DATA_DIR: true,
      S3_ENDPOINT: true,
      S3_REGION: true,
      S3_BUCKET: true,
      S3_ACCESS_KEY_ID: true,
      S3_SECRET_ACCESS_KEY: true,
      S3_FORCE_PATH_STYLE: true,
    })
    .safeParse(given);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const databaseUrl = parsed.data?.DATABASE_URL;
  if (parsed.success && databaseUrl === undefined) problems.push(`DATABASE_URL is missing: ${variables.shape.DATABASE_URL.description}`);
  if (!parsed.success || problems.length > 0 || databaseUrl === undefined) throw new ConfigurationError(problems);
  return { databaseUrl, migrationUrl: parsed.data.MIGRATION_DATABASE_URL ?? databaseUrl, storage: parsed.data };
}

/**
 * Loads the variables of the running stack (`npm start`) into the environment, for a script beside it: those of `DATA_DIR`. Variables that
 * are set win. Does nothing where `DATABASE_URL` is set, or without a stack.
 */
export function loadStackEnvironment(): void {
  const path = join(process.env['DATA_DIR'] ?? '.data', 'stack.env');
  if (!process.env['DATABASE_URL'] && existsSync(path)) process.loadEnvFile(path);
}

/** Returns the non-empty variables, with secrets read from their files. */
function readGiven(env: Environment): { given: Record<string, string>; problems: string[] } {
  const problems: string[] = [];
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && value !== '') given[name] = value;
  for (const name of secretNames) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    delete given[`${name}_FILE`];
    if (given[name] !== undefined) problems.push(`${name} and ${name}_FILE are both set: keep one`);
    try {
      given[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      problems.push(`${name}_FILE: cannot read ${path} (${errorCode(error) ?? 'unknown error'})`);
    }
  }
  return { given, problems };
}

function problemsOfProduction(given: Readonly<Record<string, string>>, needs: ReadonlySet<Need>): string[] {
  const isOff = (name: VariableName) => name === 'SANDBOX' && (given[name] === 'false' || given[name] === '0');
  const required: VariableName[] = ['DATABASE_URL', ...[...needs].flatMap((need) => requiredVariables[need])];
  const accepted = variables.shape.UNSAFE_SETTINGS.safeParse(given['UNSAFE_SETTINGS']).data ?? [];
  return [
    ...required.filter((name) => !given[name]).map((name) => `${name} is missing: ${variables.shape[name].description}`),
    ...refusedInProduction.filter((name) => given[name] && !isOff(name)).map((name) => `${name} is refused in production`),
    ...findUnsafeSettings(given, Object.keys(variables.shape))
      .filter(({ setting }) => !accepted.includes(setting))
      .map(({ setting, words }) => `${words} (UNSAFE_SETTINGS=${setting} accepts it)`),
  ];
}

/** A token alone is enough in development: `npm start` runs a simulator. */
function problemsOfBot(given: Readonly<Record<string, string | undefined>>): string[] {
  if (!given['BOT_TOKEN'])
    return (['BOT_API_URL', 'BOT_WEBHOOK_URL', ...botVariables] as const)
      .filter((name) => given[name])
      .map((name) => `BOT_TOKEN is missing: ${name} is set`);
  if (!given['BOT_API_URL'] && given['NODE_ENV'] !== 'production') return [];
  return missingBotVariables(given);
}

/**
 * Requires the bot's variables that `loadConfig` accepts as missing because `npm start` sets them.
 * @throws {ConfigurationError}
 */
export function requireBotVariables(config: Variables): void {
  const problems = config.BOT_TOKEN === undefined ? [] : missingBotVariables(config);
  if (problems.length > 0) throw new ConfigurationError(problems);
}

const botVariables = ['BOT_USERNAME', 'BOT_WEBHOOK_SECRET'] as const satisfies readonly VariableName[];

function missingBotVariables(given: Readonly<Record<string, unknown>>): string[] {
  return botVariables.filter((name) => !given[name]).map((name) => `${name} is missing: BOT_TOKEN is set`);
}

/** Milliseconds between SIGTERM and the end of listening. */
export function shutdownDelayMs({ SHUTDOWN_DELAY_SECONDS, NODE_ENV }: Pick<Variables, 'SHUTDOWN_DELAY_SECONDS' | 'NODE_ENV'>): number {
  return (SHUTDOWN_DELAY_SECONDS ?? (NODE_ENV === 'production' ? 5 : 0)) * 1000;
}

/** Base URL for QR codes, mails and forms, without a trailing slash. */
export function baseUrl(config: Pick<Variables, 'BASE_URL' | 'PORT'>): string {
  return withoutTrailing(config.BASE_URL ?? `http://localhost:${config.PORT}`, '/');
}

/** Returns a variable that a process requires (set by the supervisor or the operator). */
export function required<Name extends VariableName>(config: Variables, name: Name): NonNullable<Variables[Name]> {
  const value = config[name];
  if (value === undefined || value === null)
    throw new ConfigurationError([`${name} is missing: ${variables.shape[name].description ?? ''}`]);
  return value;
}

/** Returns the whole environment: for `loadConfig` with a part, and for a supervisor that passes it to child processes. */
export function environment(): Record<string, string | undefined> {
  return process.env;
}
