import { pino } from 'pino';
import type { Logger } from 'pino';

/** JSON lines on standard output. What could hold secrets or people's data is cut out wherever it turns up. */
export function createLog(name: string, level: string): Logger {
  return pino({
    name,
    level,
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
  });
}

/** Type, message and stack; no other property: a database error carries the statement's values. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // The ORM puts the statement with its values into the message; its first line names the fault.
  const isDatabaseError = 'constraint' in error || 'severity' in error || error.name.includes('Exception');
  const message = isDatabaseError ? `${error.name}${code ? ` ${code}` : ''}: ${error.message.split(' - ').at(-1) ?? ''}` : error.message;
  return { type: error.name, code, message, stack: isDatabaseError ? stackWithoutMessage(error) : error.stack };
}

function stackWithoutMessage(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
