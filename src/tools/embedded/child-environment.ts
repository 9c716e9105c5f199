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
  /** Address of the simulator or another platform; undefined without a bot. */
  botPlatformUrl: string | undefined;
};

const loopback = 'localhost,127.0.0.1,::1';

/** Returns the environment of API, worker, simulators and scripts: the user's variables, and defaults for missing ones. */
export function childEnvironment(
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
      // For programs such as the demo; the pictures work too.
      CAPTCHA_FIXED_ANSWER: config.CAPTCHA_FIXED_ANSWER ?? (isSandbox ? captchaAnswerOf(secrets) : undefined),
    }),
    // The processes of the stack use the loopback address, never a proxy.
    NO_PROXY: noProxy,
    no_proxy: noProxy,
  };
}
