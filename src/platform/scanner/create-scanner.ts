import type { Variables } from '../../config.ts';
import { createClamdScanner } from './clamd-scanner.ts';
import type { Scanner } from './scanner.ts';

const usualPort = 3310;

/** The configured scanner; null when there is none, and files are kept unscanned. */
export function createScanner(config: Pick<Variables, 'CLAMAV_URL' | 'CLAMAV_TIMEOUT_SECONDS'>): Scanner | null {
  if (config.CLAMAV_URL === undefined) return null;
  const { hostname, port } = new URL(config.CLAMAV_URL);
  // An IPv6 address stands in brackets in an address, and without them in a connection.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return createClamdScanner({ host, port: port === '' ? usualPort : Number(port), timeoutMs: config.CLAMAV_TIMEOUT_SECONDS * 1000 });
}
