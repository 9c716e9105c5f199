import { readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { baseUrl, type Variables } from '../../registry/config.ts';
import type { Children } from './children.ts';
import { LogFile, reasonIn } from './log-file.ts';
import { ManagedProcess } from './managed-process.ts';
import { buildWeb } from '../web/build.ts';
import { checkPorts, type WantedPort } from './ports.ts';
import { startPostgres } from './postgres/postgres.ts';
import type { Progress } from './progress.ts';
import { apiFlags, inspectorPorts, nodeFlags, type Programs, programs, projectDirectory, runScript } from './scripts.ts';
import { botWebhookSecretOf, captchaAnswerOf, encryptionKeyOf, loadSecrets, type Secrets } from './secrets.ts';
import { startMailServer } from './start-mail-server.ts';
import { defined, findTemporalCli } from './temporal/find-cli.ts';
import { startTemporal } from './temporal/start-temporal.ts';

/** How a stack is started. */
export type StackOptions = {
  /** The variables of `src/registry/config.ts` and the rest of the environment; this process's own when absent. */
  env?: Record<string, string | undefined>;
  progress?: Progress;
  /** False leaves the database as it is. */
  migrate?: boolean;
  /** Aborts the start and stops the started processes. */
  abort?: AbortSignal;
  /** Other programs in place of the project's own. */
  programs?: Partial<Programs>;
  /** Opens the debugger ports of the API and the worker (`inspectorPorts`). */
  inspect?: boolean;
  /**
   * For tests: mails are files without a mail server, the worker has no metrics, and the watchdog removes the data directory when this
   * process is killed.
   */
  isThrowaway?: boolean;
};

/** The first five are absent where a server of the user's is used instead; `bot` also where there is no bot. */
type StackProcesses = Partial<Record<'postgres' | 'temporal' | 'mail' | 'bank' | 'bot', ManagedProcess>> &
  Record<'receiver' | 'worker' | 'api', ManagedProcess>;

export type Stack = {
  config: Variables;
  dataDir: string;
  baseUrl: string;
  databaseUrl: string;
  migrationDatabaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  bankUrl: string;
  /** The bot's simulator or the platform of BOT_API_URL; undefined without either. */
  botPlatformUrl: string | undefined;
  webhookReceiverUrl: string;
  /** The password is that of the first start; it may have been changed since. */
  administrator: { email: string; password: string };
  processes: StackProcesses;
  /** Environment for another process of the stack, such as a second worker or a script. */
  env: Record<string, string>;
  /** Stops in order: api, worker, receiver, bot, bank, mail, temporal, postgres; `force` kills at once. */
  stop: (options?: { force?: boolean }) => Promise<void>;
};

/** Node names the place of a syntax error in a line of its own, before the error. */
const placeByNode = /^(?:file:\/\/)?(\/.*\.[mc]?[jt]s):(\d+)$/m;
/** The bundler names the file, and its compiler the position of the error. */
const errorOfBundle = /^ERROR in \.\/(\S+)(?: (\d+):\d\S*)?\n(.+)$/m;
const placeByCompiler = /,-\[(\/.*\.ts):(\d+):\d+\]/;

/** Explains in one line, with file and line, why a program's source does not load. `undefined` for other reasons. */
export function explainSource(output: string): string | undefined {
  const reason = reasonIn(output);
  const byNode = placeByNode.exec(output);
  if (byNode && reason !== undefined) return `${reason} (${relative(projectDirectory, byNode[1] ?? '')}:${byNode[2]})`;
  const bundle = errorOfBundle.exec(output);
  if (!bundle) return undefined;
  const [, file, line = placeByCompiler.exec(output)?.[2], message = ''] = bundle;
  const errorLine = /^Error: .*$/m.exec(output)?.[0].replace(/^Error: +x +/, 'SyntaxError: ');
  return `${message.startsWith('Module build failed') ? (errorLine ?? message) : message} (${file}${line === undefined ? '' : `:${line}`})`;
}

type Settled = StackOptions & { env: Record<string, string | undefined>; progress: Progress };

/**
 * Starts the processes of a stack, one after the other.
 * @param started receives every started process, even if a later one fails
 */
export async function startProcesses(
  options: Settled,
  config: Variables,
  children: Children,
  started: ManagedProcess[],
  stop: Stack['stop'],
): Promise<Stack> {
  const { env, progress, abort } = options;
  const dataDir = config.DATA_DIR;
  const paths = { ...programs, ...options.programs };
  const log = (name: string) => new LogFile(join(dataDir, 'logs', `${name}.log`));
  const ports = wantedPorts(config, options);
  await checkPorts(ports);
  const secrets = loadSecrets(dataDir);
  const cliPath = config.TEMPORAL_ADDRESS === undefined ? await findTemporalCli({ dataDir, env, progress, abort }) : undefined;
  // Minutes may have passed if Temporal was built. It is kept: the next start uses it.
  await checkPorts(ports);

  const postgres =
    config.DATABASE_URL === undefined
      ? await announced('PostgreSQL', `port ${config.POSTGRES_PORT}`, options, () =>
          startPostgres({ dataDir, port: config.POSTGRES_PORT, ...secrets, children, progress }),
        )
      : undefined;
  if (postgres) started.push(postgres.server);
  const databaseUrl = postgres?.databaseUrl ?? config.DATABASE_URL ?? '';
  const migrationDatabaseUrl = postgres?.migrationDatabaseUrl ?? config.MIGRATION_DATABASE_URL ?? databaseUrl;
  const bankUrl = config.BANK_URL ?? `http://127.0.0.1:${config.BANK_SIMULATOR_PORT}`;
  const botPlatformUrl = hasBotSimulator(config) ? `http://127.0.0.1:${config.BOT_SIMULATOR_PORT}` : config.BOT_API_URL;
  const temporalUiUrl = config.TEMPORAL_UI_URL ?? (cliPath === undefined ? undefined : `http://localhost:${config.TEMPORAL_UI_PORT}`);
  const temporalAddress = config.TEMPORAL_ADDRESS ?? `127.0.0.1:${config.TEMPORAL_PORT}`;
  const smtpUrl = hasMailServer(config, options) ? `smtp://127.0.0.1:${config.MAIL_PORT}` : config.SMTP_URL;
  const childEnv = childEnvironment(env, config, secrets, {
    smtpUrl,
    databaseUrl: postgres?.socketDatabaseUrl ?? databaseUrl,
    migrationDatabaseUrl,
    temporalAddress,
    temporalUiUrl,
    bankUrl,
    botPlatformUrl,
  });

  if (options.migrate ?? true) {
    await announced('Database', 'migrations and catalogue', options, () =>
      runScript('the migration', [paths.registry, 'migrate'], childEnv, log('migrate'), abort),
    );
  }
  await runScript('creating the first administrator', [paths.registry, 'admin'], childEnv, log('administrator'), abort);

  const temporal =
    cliPath === undefined
      ? undefined
      : await announced('Temporal', `port ${config.TEMPORAL_PORT}, UI on ${config.TEMPORAL_UI_PORT}`, options, () =>
          startTemporal({
            dataDir,
            cliPath,
            port: config.TEMPORAL_PORT,
            uiPort: config.TEMPORAL_UI_PORT,
            dbFile: join(dataDir, 'temporal', 'temporal.db'),
            namespace: config.TEMPORAL_NAMESPACE,
            env,
            children,
            progress,
          }),
        );
  if (temporal) started.push(temporal.server);

  const mail = hasMailServer(config, options)
    ? await announced('Mail server', `port ${config.MAIL_PORT}, page on ${config.MAIL_UI_PORT}`, options, () =>
        startMailServer({ dataDir, port: config.MAIL_PORT, uiPort: config.MAIL_UI_PORT, env: childEnv, children, progress }),
      )
    : undefined;
  if (mail) started.push(mail);

  removeOldBundles(dataDir);
  const startProgram = async (name: 'bank' | 'bot' | 'receiver' | 'worker' | 'api', stopDeadlineMs: number): Promise<ManagedProcess> => {
    const inspectorPort = options.inspect && (name === 'api' || name === 'worker') ? inspectorPorts[name] : undefined;
    const program = new ManagedProcess(
      {
        name,
        command: process.execPath,
        args: [
          ...(name === 'api' ? apiFlags : nodeFlags),
          ...(inspectorPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectorPort}`]),
          paths[name],
        ],
        // Otherwise the deadlock detector ends a workflow at a breakpoint after a second.
        env: {
          ...childEnv,
          ...(inspectorPort !== undefined && { TEMPORAL_DEBUG: 'true' }),
          // One machine: the port is the API's.
          ...(name !== 'api' && { METRICS_PORT: name === 'worker' && !options.isThrowaway ? String(config.WORKER_METRICS_PORT) : '' }),
        },
        cwd: projectDirectory,
        log: log(name),
        stopSignal: 'SIGTERM',
        stopDeadlineMs,
        ready: 'message',
        readyDeadlineMs: 300_000,
        explain: explainSource,
      },
      children,
      progress,
    );
    started.push(program);
    await program.start();
    return program;
  };
  const bank =
    config.BANK_URL === undefined
      ? await announced('Bank simulator', `port ${config.BANK_SIMULATOR_PORT}`, options, () => startProgram('bank', 5000))
      : undefined;
  const bot = hasBotSimulator(config)
    ? await announced('Messenger simulator', `port ${config.BOT_SIMULATOR_PORT}`, options, () => startProgram('bot', 5000))
    : undefined;
  const receiver = await announced('Webhook receiver', `port ${config.WEBHOOK_RECEIVER_PORT}`, options, () =>
    startProgram('receiver', 5000),
  );
  const worker = await announced('Worker', config.WORKER_QUEUES.join(', '), options, () => startProgram('worker', 20_000));
  if (options.isThrowaway !== true) await announced('Pages', 'built in dist/web', options, buildWeb);
  const api = await announced('API', `port ${config.PORT}`, options, () => startProgram('api', 20_000));

  return {
    config,
    dataDir,
    baseUrl: baseUrl(config),
    databaseUrl,
    migrationDatabaseUrl,
    temporalAddress,
    temporalUiUrl,
    bankUrl,
    botPlatformUrl,
    webhookReceiverUrl: `http://localhost:${config.WEBHOOK_RECEIVER_PORT}`,
    administrator: {
      email: config.ADMIN_EMAIL,
      password: config.ADMIN_PASSWORD ?? secrets.administratorPassword,
    },
    processes: {
      ...(postgres && { postgres: postgres.server }),
      ...(temporal && { temporal: temporal.server }),
      ...(mail && { mail }),
      ...(bank && { bank }),
      ...(bot && { bot }),
      receiver,
      worker,
      api,
    },
    env: childEnv,
    stop,
  };
}

/** Returns whether the bot uses the simulator: with a token and without an address. */
function hasBotSimulator({ BOT_TOKEN: token, BOT_API_URL: url }: Variables): boolean {
  return token !== undefined && url === undefined;
}

/** Returns whether the stack runs a mail server of its own. */
function hasMailServer({ SMTP_URL: url }: Variables, { isThrowaway }: StackOptions): boolean {
  return url === undefined && isThrowaway !== true;
}

function wantedPorts(config: Variables, options: StackOptions): WantedPort[] {
  const { DATABASE_URL, TEMPORAL_ADDRESS, BANK_URL, HOST: host } = config;
  const wanted = (isOwn: boolean, variable: PortVariable, server: string, rest = {}): WantedPort[] =>
    isOwn ? [{ variable, port: config[variable], server, ...rest }] : [];
  return [
    ...wanted(true, 'PORT', 'API', { host }),
    ...wanted(DATABASE_URL === undefined, 'POSTGRES_PORT', 'PostgreSQL'),
    ...wanted(TEMPORAL_ADDRESS === undefined, 'TEMPORAL_PORT', 'Temporal'),
    ...wanted(TEMPORAL_ADDRESS === undefined, 'TEMPORAL_UI_PORT', 'Temporal UI'),
    ...wanted(BANK_URL === undefined, 'BANK_SIMULATOR_PORT', 'bank simulator', { host }),
    ...wanted(hasBotSimulator(config), 'BOT_SIMULATOR_PORT', 'messenger simulator', { host }),
    ...wanted(true, 'WEBHOOK_RECEIVER_PORT', 'webhook receiver'),
    ...wanted(hasMailServer(config, options), 'MAIL_PORT', 'mail server'),
    ...wanted(hasMailServer(config, options), 'MAIL_UI_PORT', 'page of the mail server'),
    ...wanted(options.isThrowaway !== true, 'WORKER_METRICS_PORT', 'metrics of the worker'),
  ];
}

/** The variables of all ports that a stack listens on, in the order of `PORT_BASE`. */
export const portVariables = [
  'PORT',
  'POSTGRES_PORT',
  'TEMPORAL_PORT',
  'TEMPORAL_UI_PORT',
  'BANK_SIMULATOR_PORT',
  'BOT_SIMULATOR_PORT',
  'WEBHOOK_RECEIVER_PORT',
  'MAIL_PORT',
  'MAIL_UI_PORT',
  'WORKER_METRICS_PORT',
] as const;
type PortVariable = (typeof portVariables)[number];

/** Returns the environment with the ports that `PORT_BASE` gives; those that are set stay. */
export function withPortBase(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const base = Number(env['PORT_BASE'] || NaN);
  if (!Number.isInteger(base)) return env;
  return { ...env, ...Object.fromEntries(portVariables.map((name, index) => [name, env[name] || String(base + index)])) };
}

/** Removes all bundles except the newest; each state of the workflows leaves one. */
function removeOldBundles(dataDir: string): void {
  const bundles = readdirSync(dataDir)
    .filter((name) => /^workflows-\w+\.js$/.test(name))
    .map((name) => join(dataDir, name))
    .toSorted((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
  for (const path of bundles.slice(1)) rmSync(path, { force: true });
}

async function announced<Result>(what: string, detail: string, { progress, abort }: Settled, step: () => Promise<Result>): Promise<Result> {
  abort?.throwIfAborted();
  progress.tick(`${what}: starting ...`);
  const startedAt = Date.now();
  const result = await step();
  progress.say(`${what}: ${detail} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return result;
}

type Addresses = Pick<
  Stack,
  'databaseUrl' | 'migrationDatabaseUrl' | 'temporalAddress' | 'temporalUiUrl' | 'bankUrl' | 'botPlatformUrl'
> & {
  smtpUrl: string | undefined;
};

const loopback = 'localhost,127.0.0.1,::1';

/** Returns the environment of API, worker, simulators and scripts: the user's variables, and defaults for missing ones. */
function childEnvironment(
  env: Record<string, string | undefined>,
  config: Variables,
  secrets: Secrets,
  addresses: Addresses,
): Record<string, string> {
  const given = defined(env);
  // The sandbox is on unless SANDBOX turns it off.
  const isSandbox = given['SANDBOX'] === undefined || given['SANDBOX'] === '' || config.SANDBOX;
  const noProxy = [given['NO_PROXY'] ?? given['no_proxy'], loopback].filter((entry) => entry !== undefined && entry !== '').join(',');
  return {
    ...given,
    ...defined({
      // The compile cache saves a third of each process's start time.
      NODE_COMPILE_CACHE: given['NODE_COMPILE_CACHE'] ?? join(config.DATA_DIR, 'compile-cache'),
      // Otherwise glibc keeps freed blocks, such as the 19 MB of a password's hash, in each thread's arena.
      MALLOC_MMAP_THRESHOLD_: given['MALLOC_MMAP_THRESHOLD_'] ?? '1048576',
      MALLOC_TRIM_THRESHOLD_: given['MALLOC_TRIM_THRESHOLD_'] ?? '1048576',
      NODE_ENV: config.NODE_ENV,
      PORT: String(config.PORT),
      HOST: config.HOST,
      BASE_URL: baseUrl(config),
      DATA_DIR: config.DATA_DIR,
      DATABASE_URL: addresses.databaseUrl,
      MIGRATION_DATABASE_URL: addresses.migrationDatabaseUrl,
      TEMPORAL_ADDRESS: addresses.temporalAddress,
      TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE,
      TEMPORAL_UI_URL: addresses.temporalUiUrl,
      BANK_SIMULATOR_PORT: String(config.BANK_SIMULATOR_PORT),
      BANK_URL: addresses.bankUrl,
      BANK_TERMINAL: config.BANK_TERMINAL ?? 'TEST0001',
      BANK_SECRET: config.BANK_SECRET ?? secrets.bankSecret,
      BOT_SIMULATOR_PORT: String(config.BOT_SIMULATOR_PORT),
      BOT_API_URL: addresses.botPlatformUrl,
      WEBHOOK_RECEIVER_PORT: String(config.WEBHOOK_RECEIVER_PORT),
      SMTP_URL: addresses.smtpUrl,
      MAIL_PORT: String(config.MAIL_PORT),
      MAIL_UI_PORT: String(config.MAIL_UI_PORT),
      WORKER_METRICS_PORT: String(config.WORKER_METRICS_PORT),
      // Receivers of a developer are on the same machine.
      WEBHOOK_ALLOWED_HOSTS: given['WEBHOOK_ALLOWED_HOSTS'] || 'localhost,127.0.0.1,[::1]',
      ...(config.BOT_TOKEN !== undefined && {
        BOT_USERNAME: config.BOT_USERNAME ?? 'registry_bot',
        BOT_WEBHOOK_SECRET: config.BOT_WEBHOOK_SECRET ?? botWebhookSecretOf(secrets),
      }),
      SESSION_SECRET: config.SESSION_SECRET ?? secrets.sessionSecret,
      ENCRYPTION_KEY: config.ENCRYPTION_KEY ?? encryptionKeyOf(secrets),
      SECOND_FACTOR: config.SECOND_FACTOR,
      ADMIN_EMAIL: config.ADMIN_EMAIL,
      ADMIN_PASSWORD: config.ADMIN_PASSWORD ?? secrets.administratorPassword,
      SANDBOX: String(isSandbox),
      // For programs such as the demo; the pictures work too.
      CAPTCHA_FIXED_ANSWER: config.CAPTCHA_FIXED_ANSWER ?? (isSandbox ? captchaAnswerOf(secrets) : undefined),
    }),
    // The processes of the stack use the loopback address, never a proxy.
    NO_PROXY: noProxy,
    no_proxy: noProxy,
  };
}
