import type { ConnectionOptions } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { required, type Variables } from '../../config.ts';

type TemporalTls = NonNullable<ConnectionOptions['tls']>;

export interface TemporalConnectionOptions {
  address: string;
  tls?: TemporalTls;
  apiKey?: string;
}

/** Address and credentials of Temporal, for clients and workers alike. @throws {ConfigurationError} without TEMPORAL_ADDRESS */
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
