import { type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { required, type Variables } from '../../registry/config.ts';

type TemporalTls = NonNullable<ConnectionOptions['tls']>;

export interface TemporalConnectionOptions {
  address: string;
  tls?: TemporalTls;
  apiKey?: string;
}

/** Returns address and credentials of Temporal, for clients and workers. @throws {ConfigurationError} without TEMPORAL_ADDRESS */
export async function temporalConnectionOptions(config: Variables): Promise<TemporalConnectionOptions> {
  const address = required(config, 'TEMPORAL_ADDRESS');
  const tls = await readTls(config);
  return {
    address,
    ...(tls === null ? {} : { tls }),
    ...(config.TEMPORAL_API_KEY === undefined ? {} : { apiKey: config.TEMPORAL_API_KEY }),
  };
}

async function readTls(config: Variables): Promise<TemporalTls | null> {
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: cert, TEMPORAL_TLS_KEY: key, TEMPORAL_TLS_SERVER_NAME: serverName } = config;
  if (!ca && !cert && !serverName) return config.TEMPORAL_API_KEY ? true : null;
  return {
    ...(serverName ? { serverNameOverride: serverName } : {}),
    ...(ca ? { serverRootCACertificate: await readFile(ca) } : {}),
    ...(cert && key ? { clientCertPair: { crt: await readFile(cert), key: await readFile(key) } } : {}),
  };
}

/** Codes of gRPC. */
const notFoundCodes: ReadonlySet<number> = new Set([5]);
const deadlineExceededCodes: ReadonlySet<number> = new Set([4]);

/**
 * Returns an error with words for an operator: what cannot be reached, and what to do.
 * @param place address and namespace
 */
export function temporalProblem(error: unknown, place: string): Error {
  const isNamespaceMissing = isGrpcServiceError(error) && notFoundCodes.has(error.code);
  const words = isNamespaceMissing
    ? `Temporal at ${place}: the namespace does not exist. Create it with \`temporal operator namespace create\`.`
    : `Cannot reach Temporal at ${place} (${reasonOf(error)}). Check TEMPORAL_ADDRESS and TEMPORAL_TLS_*.`;
  return new Error(words, { cause: error });
}

/** Errors of gRPC hold the system error as text, if any: a refused connection is retried until the deadline. */
function reasonOf(error: unknown): string {
  if (isGrpcServiceError(error) && deadlineExceededCodes.has(error.code)) return 'no answer';
  const text = isGrpcServiceError(error) ? error.details : error instanceof Error ? error.message : String(error);
  return /\bE[A-Z]{4,}\b/.exec(text)?.[0] ?? (text.split('\n')[0] ?? '').slice(0, 200);
}
