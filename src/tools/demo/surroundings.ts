import { join, resolve } from 'node:path';
import { baseUrl, loadConfig, type Variables } from '../../config.ts';
import { captchaAnswerOf, readSecrets } from '../embedded/secrets.ts';
import { DemoFailure } from './failures.ts';

/** Where the registry is that the demo talks to, and what it may know of it. */
export interface DemoSurroundings {
  /** Without a slash at the end. */
  baseUrl: string;
  administrator: { email: string; password: string };
  /** What a program answers to a captcha whose picture it cannot read. */
  answerCaptcha(captchaId: string): Promise<string>;
  /** Absolute; certificates are laid down there. */
  outputDirectory: string;
  /** Where mails are laid down that no mail server takes. */
  mailDirectory: string;
  /** Of the simulator of the bot platform, without a slash at the end. */
  botSimulatorUrl: string;
}

/**
 * Reads the configuration and, for what it does not say, the secrets that `npm start` keeps under `DATA_DIR`.
 * @throws {ConfigurationError} @throws {DemoFailure} when the registry was never started here, and nothing else says how to get in
 */
export function readSurroundings(config: Variables = loadConfig()): DemoSurroundings {
  const dataDir = resolve(config.DATA_DIR);
  const secrets = readSecrets(dataDir);
  const password = config.ADMIN_PASSWORD ?? secrets?.administratorPassword;
  const captchaAnswer = config.CAPTCHA_FIXED_ANSWER ?? (secrets === null ? undefined : captchaAnswerOf(secrets));
  if (password === undefined || captchaAnswer === undefined) {
    throw new DemoFailure(
      `no registry has been started with the data directory ${dataDir}: start it with npm start first, or set ADMIN_EMAIL, ADMIN_PASSWORD and CAPTCHA_FIXED_ANSWER to those of the registry at ${baseUrl(config)}`,
    );
  }
  return {
    baseUrl: baseUrl(config),
    administrator: { email: config.ADMIN_EMAIL, password },
    answerCaptcha: async () => captchaAnswer,
    outputDirectory: join(dataDir, 'demo'),
    mailDirectory: join(dataDir, 'mail'),
    botSimulatorUrl: `http://127.0.0.1:${config.BOT_SIMULATOR_PORT}`,
  };
}

/** @throws {DemoFailure} when nothing answers at the address */
export async function requireRegistry(address: string): Promise<void> {
  const isThere = await fetch(`${address}/health/live`).then(
    (response) => response.ok,
    () => false,
  );
  if (!isThere) throw new DemoFailure(`no registry answers at ${address}: start it with npm start first`);
}
