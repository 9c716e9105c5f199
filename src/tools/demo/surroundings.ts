import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { baseUrl, loadConfig, type Variables } from '../../registry/config.ts';
import { captchaAnswerOf, readSecrets } from '../embedded/secrets.ts';
import { DemoFailure } from './client.ts';
import type { Narrator } from './narrator.ts';

/** The registry that the demo uses, with its credentials. */
export interface DemoSurroundings {
  /** Without a trailing slash. */
  baseUrl: string;
  administrator: { email: string; password: string };
  /** Returns the fixed answer of a captcha. */
  answerCaptcha(captchaId: string): Promise<string>;
  /** Absolute path for downloaded files. */
  outputDirectory: string;
  /** Folder where the embedded mail server keeps the mails. */
  mailDirectory: string;
  /** Address of the bot simulator, without a trailing slash. */
  botSimulatorUrl: string;
  /** Address of the webhook receiver, without a trailing slash. */
  webhookReceiverUrl: string;
}

/** One run of a walk. */
export interface DemoRun<Calendar> {
  surroundings: DemoSurroundings;
  calendar: Calendar;
  /** The registry's instant at the start. */
  now: Date;
  narrator: Narrator;
}

/**
 * Reads the configuration and the secrets that `npm start` stores under `DATA_DIR`.
 * @throws {ConfigurationError} @throws {DemoFailure} when the registry was never started here and the credentials are not configured
 */
export function readSurroundings(config: Variables = loadConfig()): DemoSurroundings {
  const dataDir = resolve(config.DATA_DIR);
  const secrets = readSecrets(dataDir);
  const password = config.ADMIN_PASSWORD ?? secrets?.administratorPassword;
  const captchaAnswer = config.CAPTCHA_FIXED_ANSWER ?? (secrets === null ? undefined : captchaAnswerOf(secrets));
  if (password === undefined || captchaAnswer === undefined) {
    throw new DemoFailure(
      `the data directory ${dataDir} has no registry: run npm start first, or set ADMIN_EMAIL, ADMIN_PASSWORD and CAPTCHA_FIXED_ANSWER of the registry at ${baseUrl(config)}`,
    );
  }
  return {
    baseUrl: baseUrl(config),
    administrator: { email: config.ADMIN_EMAIL, password },
    answerCaptcha: async () => captchaAnswer,
    outputDirectory: join(dataDir, 'demo'),
    mailDirectory: join(dataDir, 'mail'),
    botSimulatorUrl: `http://127.0.0.1:${config.BOT_SIMULATOR_PORT}`,
    webhookReceiverUrl: `http://127.0.0.1:${config.WEBHOOK_RECEIVER_PORT}`,
  };
}

/** Stores a file of the demo. @returns its path */
export function storeOutput({ outputDirectory }: DemoSurroundings, name: string, content: Buffer): string {
  mkdirSync(outputDirectory, { recursive: true });
  const path = join(outputDirectory, name);
  writeFileSync(path, content);
  return path;
}

/** @throws {DemoFailure} when no registry answers */
export async function requireRegistry(address: string): Promise<void> {
  const isThere = await fetch(`${address}/health/live`).then(
    (response) => response.ok,
    () => false,
  );
  if (!isThere) throw new DemoFailure(`no registry answers at ${address}: run npm start first`);
}
