import { z } from 'zod';

/**
 * The only reader of `process.env`. Every variable is described here once; the README's table, the
 * compose file and the start-up message are checked against this list by tests.
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
    .describe('public address; goes into QR codes and mails'),
  METRICS_PORT: port
    .optional()
    .describe('own port for `GET /metrics`; required in production, so that figures never leave by the public port'),
  WORKER_METRICS_PORT: port.optional().describe('port on which a worker shows the engine figures; unset: none'),
  TRUST_PROXY: flag.default(false).describe('believe `X-Forwarded-*`; only behind a proxy that sets them'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').describe('least level written'),
  DATA_DIR: text.default('.data').describe('embedded servers, files, mails, cached binaries'),

  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL 15 or newer, the application role'),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('the migrating role, where it differs'),
  DATABASE_POOL: count.default(20).describe('connections per process'),

  TEMPORAL_ADDRESS: text.optional().describe('host:port of the workflow engine'),
  TEMPORAL_NAMESPACE: text.default('default').describe('namespace of the workflows'),
  TEMPORAL_UI_URL: z.url().optional().describe('address of the engine UI, for links shown to administrators'),
  TEMPORAL_TLS_CA: text.optional().describe('file with the CA certificate (PEM)'),
  TEMPORAL_TLS_CERT: text.optional().describe('file with the client certificate (PEM)'),
  TEMPORAL_TLS_KEY: text.optional().describe('file with the client key (PEM)'),
  TEMPORAL_TLS_SERVER_NAME: text.optional().describe('name expected in the server certificate'),
  TEMPORAL_API_KEY: text.optional().describe('API key of the engine'),
  TEMPORAL_PORT: port.default(7233).describe('port of the embedded engine'),
  TEMPORAL_UI_PORT: port.default(8233).describe('port of the embedded engine UI'),
  POSTGRES_PORT: port.default(5433).describe('port of the embedded database'),
  BANK_SIMULATOR_PORT: port.default(8090).describe('port of the bank simulator'),
  TEMPORAL_CLI_PATH: text.optional().describe('the `temporal` binary'),
  TEMPORAL_TEST_SERVER_PATH: text.optional().describe('the time-skipping test server'),
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
    .describe('task queues a worker serves: `registry,documents,bank`'),

  ADMIN_EMAIL: z.email().or(z.literal('admin@localhost')).default('admin@localhost').describe('the first administrator'),
  ADMIN_PASSWORD: z.string().min(12).optional().describe('its password; generated in the embedded run'),

  BANK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('base address of the bank; unset: payments answer 503'),
  BANK_TERMINAL: text.optional().describe('our terminal at the bank'),
  BANK_SECRET: text.optional().describe('secret shared with the bank'),
  BANK_TIMEOUT_SECONDS: seconds.default(4).describe('how long one question to the bank may take'),

  STORAGE: z.enum(['disk', 's3']).default('disk').describe('where files lie'),
  S3_ENDPOINT: z.url().optional().describe('address of S3-compatible storage; unset: AWS'),
  S3_REGION: text.default('us-east-1').describe('its region'),
  S3_BUCKET: text.optional().describe('its bucket'),
  S3_ACCESS_KEY_ID: text.optional().describe('its key'),
  S3_SECRET_ACCESS_KEY: text.optional().describe('its secret'),
  S3_FORCE_PATH_STYLE: flag.default(true).describe('bucket in the path, not in the host name'),

  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('mail server; unset: files under `DATA_DIR/mail`'),
  MAIL_FROM: text.default('Registry <registry@localhost>').describe('sender of mails'),

  BOT_TOKEN: text.optional().describe('messaging bot; unset: disabled (503)'),
  BOT_API_URL: z.url().optional().describe('address of the bot platform'),
  BOT_USERNAME: text.optional().describe('name of the bot'),
  BOT_WEBHOOK_SECRET: text.optional().describe('secret of the bot webhook'),

  SESSION_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe(
      'signs the session cookie, seals addresses that pass through the engine; the same for API and workers; generated and kept under `DATA_DIR` in the embedded run',
    ),
  CAPTCHA_FIXED_ANSWER: z
    .string()
    .length(5)
    .optional()
    .describe('five characters accepted as every answer, for tests; refused in production'),
  SANDBOX: flag.default(false).describe('time can be moved; refused in production'),

  RATE_LIMIT_KEY_PER_MINUTE: count.default(300).describe('requests a minute per key or session'),
  RATE_LIMIT_PUBLIC_PER_MINUTE: count.default(60).describe('requests a minute per IP on public routes'),
  RATE_LIMIT_LOGINS_PER_15_MINUTES: count.default(10).describe('logins per 15 minutes per IP and account'),
  RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: count.default(20).describe('captchas per 10 minutes per session'),
  RATE_LIMIT_EXPORTS_PER_HOUR: count.default(20).describe('exports an hour per administrator'),
});

/** Task queues of the workers; a process names its own in its contract file. */
export const taskQueues = ['registry', 'documents', 'bank'] as const;
export type TaskQueue = (typeof taskQueues)[number];

export type Variables = z.output<typeof variables>;
export type VariableName = keyof Variables;

/** Name, description and default of every variable, for the README and its test. */
export function describeVariables(): { name: VariableName; description: string; defaultValue: unknown }[] {
  return Object.entries(variables.shape).map(([name, schema]) => {
    const parsed = schema.safeParse(undefined);
    return { name: name as VariableName, description: schema.description ?? '', defaultValue: parsed.success ? parsed.data : undefined };
  });
}

/** Thrown when the environment cannot be used; `problems` has one line for each variable. */
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
 * Reads and checks the environment (decisions.md §10, §11).
 * @throws {ConfigurationError} with every problem at once: bad values, what production lacks or refuses, halves of a pair.
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
  if (given['STORAGE'] === 's3')
    for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
      if (!given[name]) problems.push(`${name} is missing: STORAGE is s3`);
  if (!parsed.success || problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
  return parsed.data;
}

/** The address put into QR codes, mails and forms, without a trailing slash. */
export function baseUrl(config: Pick<Variables, 'BASE_URL' | 'PORT'>): string {
  return (config.BASE_URL ?? `http://localhost:${config.PORT}`).replace(/\/+$/, '');
}

/** Reads a variable that a process cannot do without (the supervisor or the operator sets it). */
export function required<Name extends VariableName>(config: Variables, name: Name): NonNullable<Variables[Name]> {
  const value = config[name];
  if (value === undefined || value === null)
    throw new ConfigurationError([`${name} is missing: ${variables.shape[name].description ?? ''}`]);
  return value;
}

/** The whole environment, for a supervisor that hands it on to the processes it starts. */
export function environment(): Record<string, string | undefined> {
  return process.env;
}
