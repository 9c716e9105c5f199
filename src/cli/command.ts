import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { extensions } from '../registry/areas.ts';
import { environment, loadConfig, required, type Variables } from '../registry/config.ts';
import { openRegistry } from '../registry/open-registry.ts';
import type { ProcessPart } from '../registry/process-needs.ts';
import { sandboxClock, systemClock } from '../platform/time/clock.ts';
import { relayOnlyOutbox } from '../platform/workflows/outbox.ts';

/** A command of an operator: `npm run registry -- <name>`. */
export interface Command {
  /** Name, arguments and options. */
  usage: string;
  /** One line for the list of commands. */
  summary: string;
  /** What it does, what it reads, how it ends. */
  help: string;
  options?: ParseArgsOptionsConfig;
  /**
   * Writes results to standard output, and sets `process.exitCode` where it ends otherwise than by success or an error.
   * @throws {UsageError} for arguments that it cannot use
   * @throws {ConfigurationError} for variables that it cannot use
   */
  run(given: Arguments): Promise<void>;
}

/** Arguments that a command cannot use. */
export class UsageError extends Error {}

export interface Arguments {
  values: Record<string, unknown>;
  positionals: readonly string[];
}

/** Parses what follows the name of a command. @throws {UsageError} for an unknown option or argument */
export function readArguments({ usage, options = {} }: Command, args: string[]): Arguments {
  try {
    const parsed = parseArgs({ args, options: { ...options, help: { type: 'boolean' } }, allowPositionals: true });
    // A usage of one word takes no arguments.
    if (parsed.positionals.length > 0 && /^\S+$/.test(usage)) throw new Error(`unexpected argument '${parsed.positionals.join(' ')}'`);
    return parsed;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${reason}; usage: ${usage}`);
  }
}

/** Runs work on the database of the configuration. What its commands wake, the relay of a worker sends. */
export async function withDatabase<T>(
  part: ProcessPart,
  work: (platform: ReturnType<typeof platformOf>, config: Variables) => Promise<T>,
): Promise<T> {
  const config = loadConfig(environment(), part);
  const orm = await openRegistry(required(config, 'DATABASE_URL'), 2);
  try {
    return await work(platformOf(config, orm), config);
  } finally {
    await orm.close(true);
  }
}

function platformOf(config: Variables, orm: Awaited<ReturnType<typeof openRegistry>>) {
  return { orm, config, extensions, clock: config.SANDBOX ? sandboxClock : systemClock, outbox: relayOnlyOutbox };
}
