import { channel } from 'node:diagnostics_channel';
import type { Logger } from 'pino';
import { causeOf } from '../../src/platform/logging/log.ts';

const failures = channel('registry:failure');
/** SQLSTATE of a missing column or table. */
const isWithoutMigration = /\b42(703|P01)\b/;

/** Makes a failing test show the errors that a service logs at their level, whatever level it writes (`global/environment.mjs`). */
export function showFailures(log: Logger): void {
  for (const level of ['error', 'warn'] as const) {
    const write: (...line: unknown[]) => void = log[level].bind(log);
    log[level] = (...line: unknown[]) => {
      const [facts] = line;
      if (typeof facts === 'object' && facts !== null && 'err' in facts) failures.publish(describe(facts));
      write(...line);
    };
  }
}

function describe({ err, ...facts }: { err: unknown }): string {
  const cause = causeOf(err);
  const advice = isWithoutMigration.test(cause) ? '. After a change of entities.ts, write the migration: npm run migration:create' : '';
  return `${JSON.stringify(facts)}: ${cause}${advice}`;
}
