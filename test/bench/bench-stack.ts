import { startThrowawayStack } from '../../src/embedded/stack.ts';
import type { Stack } from '../../src/embedded/stack.ts';

/** As in production: no sandbox clock, warnings only; limits are out of the way because the load comes from one address. */
export const benchEnvironment = {
  NODE_ENV: undefined,
  SANDBOX: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_KEY_PER_MINUTE: '1000000000',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000000',
};

export function startBenchStack(): Promise<Stack> {
  return startThrowawayStack({ env: benchEnvironment });
}

export function localUrl(stack: Stack): string {
  return `http://127.0.0.1:${stack.config.PORT}`;
}
