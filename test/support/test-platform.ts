import { Connection } from '@temporalio/client';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addSigningKey } from '../../src/areas/credentials/index.ts';
import { loadConfig, required, type Variables } from '../../src/registry/config.ts';
import { closePlatform, createPlatform } from '../../src/registry/create-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { startBankSimulator } from '../../src/tools/simulators/bank/server.ts';
import type { Simulator } from '../../src/tools/simulators/simulator.ts';
import { ensureSearchAttributes } from '../../worker/prepare-temporal.ts';
import { captchaAnswer } from './identities/captcha-answer.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { databaseServer, temporalAddress, testFolder } from './servers.ts';

export interface TestSurroundings {
  config: Variables;
  database: TestDatabase;
  bank: Simulator;
  close(): Promise<void>;
}

/**
 * The environment of one test file: a database, a Temporal namespace, a bank, a folder, and their configuration. @param overrides variables
 * with other values
 */
export async function makeSurroundings(overrides: Record<string, string> = {}): Promise<TestSurroundings> {
  // Parallel requests start missing servers in parallel.
  const [address, folder] = await Promise.all([temporalAddress(), testFolder(), databaseServer()]);
  const name = `t${randomBytes(6).toString('hex')}`;
  const [port] = await freePorts(1);
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  const secrets = {
    BANK_TERMINAL: 'TEST0001',
    BANK_SECRET: 'bank-secret-of-the-tests',
    SESSION_SECRET: randomUUID() + randomUUID(),
    ENCRYPTION_KEY: randomUUID(),
  };
  const [database, bank] = await Promise.all([
    cloneDatabase(),
    startBankSimulator({
      port: 0,
      terminal: secrets.BANK_TERMINAL,
      secret: secrets.BANK_SECRET,
      callbackUrl: `http://127.0.0.1:${port}/api/v1/bank/callback`,
    }),
    makeNamespace(address, name),
  ]);
  const config = loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    DATABASE_POOL: '14',
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: name,
    BANK_URL: bank.url,
    ...secrets,
    SANDBOX: 'true',
    CAPTCHA_FIXED_ANSWER: captchaAnswer,
    RATE_LIMIT_KEY_PER_MINUTE: '100000',
    RATE_LIMIT_PUBLIC_PER_MINUTE: '100000',
    RATE_LIMIT_CALLBACKS_PER_MINUTE: '100000',
    RATE_LIMIT_SESSIONS_PER_10_MINUTES: '100000',
    RATE_LIMIT_RESETS_PER_HOUR: '100000',
    RATE_LIMIT_TINY_CHUNKS_PER_10_SECONDS: '100000000',
    RATE_LIMIT_EXPORTS_PER_HOUR: '1000',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    RATE_LIMIT_LOGINS_PER_15_MINUTES: '1000',
    RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: '1000',
    ...overrides,
  });
  return {
    config,
    database,
    bank,
    async close() {
      await bank.close();
      await database.drop();
    },
  };
}

/** A platform without API and workers, for tests of commands and activities. */
export async function startTestPlatform(
  overrides: Record<string, string> = {},
): Promise<{ platform: Platform; surroundings: TestSurroundings; close(): Promise<void> }> {
  const surroundings = await makeSurroundings(overrides);
  const platform = await createPlatform(surroundings.config, 'test');
  await addSigningKey(platform, required(surroundings.config, 'ENCRYPTION_KEY'), { onlyFirst: true });
  return {
    platform,
    surroundings,
    async close() {
      await closePlatform(platform);
      await surroundings.close();
    },
  };
}

/** A separate namespace, so that `application/1` of one file is not that of another. */
export async function makeNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
    await ensureSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
}
