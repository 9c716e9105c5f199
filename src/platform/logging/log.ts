import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { hostname } from 'node:os';
import { releaseName, releaseVersion } from '../runtime/release.ts';
import { RepeatedLines } from './repeated-lines.ts';
import { tracing } from '../tracing/tracing.ts';

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
    base: { pid: process.pid, hostname: hostname(), service: releaseName, version: releaseVersion },
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
    ...(tracing === null ? {} : { mixin: traceOfLine }),
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function traceOfLine(): object {
  const traceId = tracing?.traceId() ?? null;
  return traceId === null ? {} : { trace_id: traceId };
}

/** Only type, message and stack: other properties of a database error contain values. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: error.name, code, message: causeOf(error), stack: isOfDatabase(error) ? stackWithoutMessage(error) : error.stack };
}

/** Logs why a process cannot start or go on, as a line of its log. */
export function logFatal(name: string, error: unknown): void {
  createLog(name, 'fatal').fatal({ err: error, cause: causeOf(error) }, 'the process ends');
}

/**
 * Returns the loggable cause of an error, in one line: its message, then SQLSTATE, system error, HTTP status and host of the error and its
 * causes. Details of database errors quote rows, so only the first line of the message stays, and none for SQL state class 22, which quotes
 * input.
 */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const words = isOfDatabase(error) ? wordsOfDatabase(error) : error.message;
  const facts = [...new Set(chainOf(error).flatMap(factsOf))].filter((fact) => !words.includes(fact));
  if (facts.length === 0) return words === '' ? error.name : words;
  return words === '' ? facts.join(' ') : `${words} (${facts.join(' ')})`;
}

function wordsOfDatabase(error: Error): string {
  const [firstLine = ''] = error.message.split('\n');
  // The driver's own name of every error is "error".
  const name = error.name === 'error' ? '' : error.name;
  return [name, codeOf(error), codeOf(error).startsWith('22') ? '' : firstLine].filter((part) => part !== '').join(' ');
}

function codeOf(error: object): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const longestChain = 5;

/** An error and its causes; of several at once, such as one for each address of a host, the first. */
function chainOf(error: unknown): object[] {
  const chain: object[] = [];
  for (let next = error; typeof next === 'object' && next !== null && chain.length < longestChain;) {
    chain.push(next);
    next = next instanceof AggregateError ? next.errors[0] : 'cause' in next ? next.cause : null;
  }
  return chain;
}

interface FactualError {
  address?: unknown;
  port?: unknown;
  hostname?: unknown;
  responseCode?: unknown;
  $metadata?: { httpStatusCode?: unknown };
}

/** Returns facts that name a server or a state, and no person: `ECONNREFUSED`, `127.0.0.1:5432`, `HTTP 503`. */
function factsOf(error: object): string[] {
  const { address, port, hostname: host, responseCode, $metadata } = error as FactualError;
  const code = codeOf(error);
  const place = [host, address].find((name) => typeof name === 'string');
  const status = [$metadata?.httpStatusCode, responseCode].find((number) => typeof number === 'number');
  return [
    ...(/^[A-Z0-9_]{3,40}$/.test(code) ? [code] : []),
    ...(place === undefined ? [] : [typeof port === 'number' ? `${place}:${port}` : place]),
    ...(status === undefined ? [] : [$metadata === undefined ? `SMTP ${String(status)}` : `HTTP ${String(status)}`]),
  ];
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
