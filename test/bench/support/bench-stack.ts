import { Client, Connection } from '@temporalio/client';
import { loadConfig } from '../../../src/config.ts';
import { closePlatform, createPlatform } from '../../../src/create-platform.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type Stack, startThrowawayStack } from '../../../src/tools/embedded/stack.ts';

/** As in production: no sandbox clock, warnings only; limits are out of the way because the load comes from one address. */
export const benchEnvironment = {
  NODE_ENV: undefined,
  SANDBOX: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_KEY_PER_MINUTE: '1000000000',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000000',
  RATE_LIMIT_CALLBACKS_PER_MINUTE: '1000000000',
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: '100000',
  RATE_LIMIT_RESETS_PER_HOUR: '100000',
  RATE_LIMIT_STREAMS_PER_IP: '100000',
  MAX_CONNECTIONS_PER_IP: '100000',
};

/** @param env what this benchmark wants otherwise */
export function startBenchStack(env: Record<string, string> = {}): Promise<Stack> {
  return startThrowawayStack({ env: { ...benchEnvironment, ...env } });
}

export function localUrl(stack: Stack): string {
  return `http://127.0.0.1:${stack.config.PORT}`;
}

/**
 * Works with the database and the Temporal of a stack as one of its own programs would.
 * @param env another database or namespace than the stack's
 */
export async function withPlatform<T>(
  stack: Pick<Stack, 'env'>,
  work: (platform: Platform) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const platform = await createPlatform(loadConfig({ ...stack.env, ...env }), 'bench');
  try {
    return await work(platform);
  } finally {
    await closePlatform(platform);
  }
}

/** Asks the Temporal of a stack. */
export async function withTemporal<T>(stack: Stack, namespace: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    return await work(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

/** Does some work for each item, so many at a time. */
export async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
