import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { RepeatedLines } from './repeated-lines.ts';

/** pino's number of the level `warn`. */
const warn = 40;

/**
 * Writes JSON lines to standard output. Removes secrets and personal data; writes a repeated warning once, then once a minute with its
 * count.
 * @param destination for tests
 */
export function createLog(name: string, level: string, destination?: DestinationStream): Logger {
  const repeated = new RepeatedLines();
  const options: LoggerOptions = {
    name,
    level,
    hooks: {
      logMethod(args, method, number) {
        if (number < warn) method.apply(this, args);
        else repeated.write(args, (...line) => method.apply(this, line));
      },
    },
    redact: {
      paths: [
        'password',
        '*.password',
        'authorization',
        '*.authorization',
        'cookie',
        '*.cookie',
        'email',
        '*.email',
        'iin',
        '*.iin',
        'phone',
        '*.phone',
        'err.parameters',
        'err.params',
      ],
      censor: '[cut]',
    },
    serializers: { err: serializeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Only type, message and stack: other properties of a database error contain values. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: error.name, code, message: causeOf(error), stack: isOfDatabase(error) ? stackWithoutMessage(error) : error.stack };
}

/**
 * Returns the loggable cause of an error, in one line. Details of database errors quote rows, so only the first line of the message stays,
 * and none for SQL state class 22, which quotes input.
 */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!isOfDatabase(error)) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const [firstLine = ''] = error.message.split('\n');
  return [error.name, code, code.startsWith('22') ? '' : firstLine].filter((part) => part !== '').join(' ');
}

function isOfDatabase(error: Error): boolean {
  return 'constraint' in error || 'severity' in error || error.name.includes('Exception');
}

function stackWithoutMessage(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
