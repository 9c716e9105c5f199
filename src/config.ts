import { z } from 'zod';
import { withoutTrailing } from './platform/text.ts';

/**
 * The only reader of `process.env`. Describes every variable once; tests check the table in `docs/configuration.md`, the compose file and
 * the
 * start-up message against it.
 */

const text = z.string().trim().min(1);
const port = z.coerce.number().int().min(1).max(65535);
const seconds = z.coerce.number().positive();
const count = z.coerce.number().int().positive();
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

const variables = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .describe('`production` refuses every convenience of the embedded run'),
  PORT: port.default(8080).describe('port of the API'),
  HOST: text.default('127.0.0.1').describe('address the API listens on'),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('public address, as in QR codes and mails; an https address makes cookies `Secure`; unset: `http://localhost:PORT`'),
  METRICS_PORT: port.optional().describe('own port for `GET /metrics`, so that metrics never leave by the public port; unset: on `PORT`'),
  WORKER_METRICS_PORT: port.optional().describe('port on which a worker shows the metrics of the Temporal SDK; unset: none'),
  TRUST_PROXY_HOPS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('proxies in front of the API, each of which appends to `X-Forwarded-For`; 0: the header is not looked at'),
  TRUST_PROXY: flag.default(false).describe('`true`: the same as `TRUST_PROXY_HOPS=1`'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('least level written: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'),
  DATA_DIR: text.default('.data').describe('folder of the embedded servers, files, mails, logs, cached programs'),

  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL 15 or newer, by the login of the service; unset: `npm start` runs one'),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('the same database by the role that owns the tables, where it differs; for `npm run migrate`'),
  DATABASE_POOL: count.default(20).describe('most connections of each API and worker process'),

  TEMPORAL_ADDRESS: text.optional().describe('host:port of Temporal; unset: `npm start` runs one'),
  TEMPORAL_NAMESPACE: text.default('default').describe('Temporal namespace of the workflows'),
  TEMPORAL_UI_URL: z.url().optional().describe('address of the Temporal UI, for links shown to administrators'),
  TEMPORAL_TLS_CA: text.optional().describe('file with the CA certificate (PEM)'),
  TEMPORAL_TLS_CERT: text.optional().describe('file with the client certificate (PEM)'),
  TEMPORAL_TLS_KEY: text.optional().describe('file with the client key (PEM)'),
  TEMPORAL_TLS_SERVER_NAME: text.optional().describe('name expected in the server certificate'),
  TEMPORAL_API_KEY: text.optional().describe('API key of Temporal; turns TLS on'),
  TEMPORAL_PORT: port.default(7233).describe('port of the embedded Temporal'),
  TEMPORAL_UI_PORT: port.default(8233).describe('port of the embedded Temporal UI'),
  POSTGRES_PORT: port.default(5433).describe('port of the embedded database'),
  BANK_SIMULATOR_PORT: port.default(8090).describe('port of the bank simulator'),
  TEMPORAL_CLI_PATH: text.optional().describe('path of the `temporal` program'),
  TEMPORAL_TEST_SERVER_PATH: text.optional().describe('path of the time-skipping test server, for `npm test`'),
  WORKER_QUEUES: z
    .string()
    .optional()
    .transform((value, context) => {
      const wanted = (value ?? taskQueues.join(','))
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
      const known: TaskQueue[] = [];
      for (const name of wanted) {
        const queue = taskQueues.find((candidate) => candidate === name);
        if (queue) known.push(queue);
        else context.addIssue({ code: 'custom', message: `unknown queue "${name}"; known: ${taskQueues.join(', ')}` });
      }
      return known;
    })
    .describe('task queues that this worker process serves, separated by commas; between them, all workers must serve every queue'),

  ADMIN_EMAIL: z.email().or(z.literal('admin@localhost')).default('admin@localhost').describe('e-mail of the first administrator'),
  ADMIN_PASSWORD: z
    .string()
    .min(12)
    .optional()
    .describe('password of the first administrator, 12 characters or more; unset: generated and shown once'),

  BANK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('base address of the bank; unset: payments answer 503'),
  BANK_FORM_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of the bank's payment form as payers' browsers reach it; unset: `pay` under `BANK_URL`"),
  BANK_CALLBACK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address of `POST /bank/callback` as the bank reaches it; unset: under `BASE_URL`'),
  BANK_TERMINAL: text.optional().describe('terminal of the federation at the bank; required with `BANK_URL`'),
  BANK_SECRET: text.optional().describe('secret shared with the bank; required with `BANK_URL`'),
  // A caller who waits for a bank query gets an answer within five seconds (`workflows/activity-profiles.ts`).
  BANK_TIMEOUT_SECONDS: seconds.max(4).default(4).describe('how long one payment status query may take, at most 4'),

  STORAGE: z.enum(['disk', 's3']).default('disk').describe('where files are kept: `disk` (under `DATA_DIR/files`) or `s3`'),
  S3_ENDPOINT: z.url().optional().describe('address of S3-compatible storage; unset: AWS'),
  S3_REGION: text.default('us-east-1').describe('region of the storage'),
  S3_BUCKET: text.optional().describe('bucket of the files; required with `s3`'),
  S3_ACCESS_KEY_ID: text.optional().describe('access key of the storage; required with `s3`'),
  S3_SECRET_ACCESS_KEY: text.optional().describe('secret key of the storage; required with `s3`'),
  S3_FORCE_PATH_STYLE: flag.default(true).describe('bucket in the path, not in the host name'),

  CLAMAV_URL: z
    .url({ protocol: /^tcp$/ })
    .optional()
    .describe(
      'clamd that scans every upload, such as `tcp://clamav:3310`; an infected file is refused, and while it is away uploads answer 503; unset: files are not scanned',
    ),
  CLAMAV_TIMEOUT_SECONDS: seconds.default(10).describe('how long the scan of one upload may take'),

  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('mail server; unset: files under `DATA_DIR/mail`'),
  MAIL_FROM: text.default('Registry <registry@localhost>').describe('sender of mails'),

  BOT_TOKEN: text
    .regex(/^[\w:-]+$/, 'must be a token of the bot platform')
    .optional()
    .describe('token of the messaging bot; unset: the bot is disabled and its routes answer 503'),
  BOT_API_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of the bot platform; unset: `npm start` runs a simulator of it, and in production it is the platform's own"),
  BOT_USERNAME: text
    .regex(/^\w{3,32}$/, 'must be the name of a bot, without @')
    .optional()
    .describe('name of the bot on the platform, without `@`; required with `BOT_TOKEN`, given by `npm start` where it runs the simulator'),
  BOT_WEBHOOK_SECRET: text
    .regex(/^[\w-]{16,256}$/, 'must have 16 to 256 letters, digits, _ or -')
    .optional()
    .describe(
      'secret that the bot platform shows with every update, 16 to 256 letters, digits, `_` or `-`; required with `BOT_TOKEN`, given by `npm start` where it runs the simulator',
    ),
  BOT_WEBHOOK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address of `POST /messaging-bot/webhook` as the bot platform reaches it; unset: under `BASE_URL`'),
  BOT_SIMULATOR_PORT: port.default(8091).describe('port of the simulator of the bot platform'),

  SESSION_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe(
      'signs session cookies, encrypts addresses that pass through Temporal and keys the hashes by which repeats are known; 32 characters or more, the same for API and workers; the embedded run makes one and keeps it under `DATA_DIR`',
    ),
  CAPTCHA_FIXED_ANSWER: z.string().length(5).optional().describe('five characters accepted as the answer of every captcha, for tests'),
  SANDBOX: flag.default(false).describe('whether time can be moved; `npm start` turns it on'),

  RATE_LIMIT_KEY_PER_MINUTE: count
    .default(300)
    .describe('requests a minute per key or session, and of all without a good one per IP; ten times as many in all per IP'),
  RATE_LIMIT_PUBLIC_PER_MINUTE: count.default(60).describe('requests a minute per IP on public routes'),
  RATE_LIMIT_LOGINS_PER_15_MINUTES: count
    .default(10)
    .describe(
      'logins per 15 minutes per IP and account, and per account from IPs it was not signed in from before; ten times as many per IP',
    ),
  RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: count.default(20).describe('captchas per 10 minutes per session; ten times as many per IP'),
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: count.default(100).describe('new sessions per 10 minutes per IP'),
  RATE_LIMIT_RESETS_PER_HOUR: count
    .default(3)
    .describe('recovery mails an hour per account, the answer stays the same beyond them; ten times as many per IP'),
  RATE_LIMIT_CALLBACKS_PER_MINUTE: count.default(120).describe('bank callbacks a minute per IP; ten times as many in all'),
  RATE_LIMIT_UPLOADS_PER_HOUR: count.default(200).describe('uploads an hour per account'),
  RATE_LIMIT_EXPORTS_PER_HOUR: count.default(20).describe('exports an hour per account'),
  RATE_LIMIT_STREAMS: count.default(20).describe('live streams that one session may hold at a time'),
  RATE_LIMIT_STREAMS_PER_IP: count.default(200).describe('live streams that one IP may hold at a time in each API process'),
  RATE_LIMIT_TINY_CHUNKS_PER_10_SECONDS: count
    .default(40_000)
    .describe('pieces of bodies below 512 bytes that one IP may send in 10 seconds; beyond them its connections are closed'),
  MAX_CONNECTIONS: count.default(4_000).describe('connections that one API process takes at a time'),
  MAX_CONNECTIONS_PER_IP: count
    .default(300)
    .describe('connections of one IP that an API process takes at a time; no limit behind trusted proxies, whose connections they are'),

  QUOTA_FILES: count.default(1000).describe('files that one account may keep'),
  QUOTA_BYTES: count.default(1_073_741_824).describe('bytes that the files of one account may take together'),
});

/** Task queues of workflows and their steps; each process definition names one (`process.ts` of an area). */
export const workflowQueues = ['registry', 'documents', 'competitions'] as const;
/** All queues. The others hold only work that leaves the database or takes long, so that it takes no slot from commands. */
export const taskQueues = [...workflowQueues, 'certificates', 'exports', 'bank', 'messages', 'maintenance'] as const;
export type WorkflowQueue = (typeof workflowQueues)[number];
export type TaskQueue = (typeof taskQueues)[number];

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

const requiredInProduction = [
  'BASE_URL',
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'SESSION_SECRET',
  'METRICS_PORT',
  'BANK_URL',
  'BANK_TERMINAL',
  'BANK_SECRET',
  'SMTP_URL',
] as const satisfies readonly VariableName[];
const refusedInProduction = ['CAPTCHA_FIXED_ANSWER', 'SANDBOX'] as const satisfies readonly VariableName[];

/**
 * Reads and checks the environment.
 * @throws {ConfigurationError} with all problems: bad values, what production requires or refuses, incomplete pairs
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Variables {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = variables.safeParse(given);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  if (given['NODE_ENV'] === 'production') {
    for (const name of requiredInProduction) if (!given[name]) problems.push(`${name} is missing: ${variables.shape[name].description}`);
    for (const name of refusedInProduction) {
      const isOff = name === 'SANDBOX' && (given[name] === 'false' || given[name] === '0');
      if (given[name] && !isOff) problems.push(`${name} is refused in production`);
    }
  }
  if (given['BANK_URL'])
    for (const name of ['BANK_TERMINAL', 'BANK_SECRET'] as const) if (!given[name]) problems.push(`${name} is missing: BANK_URL is set`);
  problems.push(...problemsOfBot(given));
  if (given['STORAGE'] === 's3')
    for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
      if (!given[name]) problems.push(`${name} is missing: STORAGE is s3`);
  if (!parsed.success || problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
  return parsed.data;
}

/** A token alone is complete: `npm start` brings a simulator. */
function problemsOfBot(given: Readonly<Record<string, string | undefined>>): string[] {
  if (!given['BOT_TOKEN'])
    return (['BOT_API_URL', 'BOT_WEBHOOK_URL', ...halvesOfBot] as const)
      .filter((name) => given[name])
      .map((name) => `BOT_TOKEN is missing: ${name} is set`);
  if (!given['BOT_API_URL'] && given['NODE_ENV'] !== 'production') return [];
  return missingHalvesOfBot(given);
}

/**
 * Checks what `loadConfig` leaves to `npm start`, for a process with the bot.
 * @throws {ConfigurationError}
 */
export function requireWholeBot(config: Variables): void {
  const problems = config.BOT_TOKEN === undefined ? [] : missingHalvesOfBot(config);
  if (problems.length > 0) throw new ConfigurationError(problems);
}

const halvesOfBot = ['BOT_USERNAME', 'BOT_WEBHOOK_SECRET'] as const satisfies readonly VariableName[];

function missingHalvesOfBot(given: Readonly<Record<string, unknown>>): string[] {
  return halvesOfBot.filter((name) => !given[name]).map((name) => `${name} is missing: BOT_TOKEN is set`);
}

/** Number of proxies in front of the API that report the client's address. */
export function trustedHops({ TRUST_PROXY_HOPS, TRUST_PROXY }: Pick<Variables, 'TRUST_PROXY_HOPS' | 'TRUST_PROXY'>): number {
  return TRUST_PROXY_HOPS === 0 && TRUST_PROXY ? 1 : TRUST_PROXY_HOPS;
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

/** Returns the whole environment, for a supervisor that passes it to child processes. */
export function environment(): Record<string, string | undefined> {
  return process.env;
}
