import { join } from 'node:path';
import { baseUrl, type Variables } from '../../config.ts';
import { botWebhookSecretOf, captchaAnswerOf, type Secrets } from './secrets.ts';
import { defined } from './temporal/find-cli.ts';

export type Addresses = {
  databaseUrl: string;
  migrationDatabaseUrl: string | undefined;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  bankUrl: string;
  /** Of the simulator or another platform; undefined where there is no bot. */
  botPlatformUrl: string | undefined;
};

const loopback = 'localhost,127.0.0.1,::1';

/** What the API, the worker, the simulators and the scripts are started with: the user's variables and, where those are silent, ours. */
export function childEnvironment(
  env: Record<string, string | undefined>,
  config: Variables,
  secrets: Secrets,
  addresses: Addresses,
): Record<string, string> {
  const given = defined(env);
  // The sandbox is on unless it is switched off by name.
  const isSandbox = given['SANDBOX'] === undefined || given['SANDBOX'] === '' || config.SANDBOX;
  const noProxy = [given['NO_PROXY'] ?? given['no_proxy'], loopback].filter((entry) => entry !== undefined && entry !== '').join(',');
  return {
    ...given,
    ...defined({
      // What Node has compiled once is loaded: a process starts in two thirds of the time, also after it was killed.
      NODE_COMPILE_CACHE: given['NODE_COMPILE_CACHE'] ?? join(config.DATA_DIR, 'compile-cache'),
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
      ...(config.BOT_TOKEN !== undefined && {
        BOT_USERNAME: config.BOT_USERNAME ?? 'registry_bot',
        BOT_WEBHOOK_SECRET: config.BOT_WEBHOOK_SECRET ?? botWebhookSecretOf(secrets),
      }),
      SESSION_SECRET: config.SESSION_SECRET ?? secrets.sessionSecret,
      ADMIN_EMAIL: config.ADMIN_EMAIL,
      ADMIN_PASSWORD: config.ADMIN_PASSWORD ?? secrets.administratorPassword,
      SANDBOX: String(isSandbox),
      // Programs such as the demo register too; the pictures work beside it.
      CAPTCHA_FIXED_ANSWER: config.CAPTCHA_FIXED_ANSWER ?? (isSandbox ? captchaAnswerOf(secrets) : undefined),
    }),
    // The processes of the stack talk to each other over the loopback address, never through a proxy.
    NO_PROXY: noProxy,
    no_proxy: noProxy,
  };
}
