import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Whether an address is one of our proxies. */
export type IsProxy = (address: string) => boolean;

/**
 * Compiles `TRUST_PROXY`: addresses, CIDRs, `loopback`, `linklocal`, `uniquelocal`. Without entries, no address is a proxy.
 * @throws {TypeError} for an entry that is none of them
 */
export function proxiesIn(entries: readonly string[]): IsProxy {
  if (entries.length === 0) return () => false;
  // `proxy-addr` reads a bare number as an address.
  const wrong = entries.find((entry) => !namedNetworks.has(entry) && isIP(entry.replace(/\/.*/, '')) === 0);
  if (wrong !== undefined) throw new TypeError(`${wrong} is no address`);
  const isTrusted = proxyaddr.compile([...entries]);
  return (address) => isTrusted(address, 0);
}

const namedNetworks: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** More proxies stand before no service; a longer header costs no more. */
const mostProxies = 20;

/**
 * Finds the client's address: from the socket on, each trusted proxy names the one before it in `X-Forwarded-For`, up to the first address
 * that is no proxy (`proxy-addr`). Words further left came with the request and may be forged. A header from any other address is ignored,
 * so a client that goes around the proxies gains nothing. A word that is no address ends the way at the proxy that wrote it.
 * @returns the canonical form, so that one client has one address; empty once the socket is closed
 */
export function clientAddressOf(
  request: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  isProxy: IsProxy,
): string {
  // Only these two properties are read.
  const way = proxyaddr.all(request as IncomingMessage, (word, hop) => hop < mostProxies && isProxy(parseAddress(word) ?? ''));
  return way.map(parseAddress).findLast((address) => address !== null) ?? '';
}

/** Longer than any address with brackets and a port: 45 characters, `[]`, `:65535`. */
const longestWord = 60;

/**
 * Parses an IP address into its canonical form: IPv6 as RFC 5952 writes it, without a zone; an IPv4-mapped one as IPv4 (RFC 4291 §2.5.5.2).
 * Drops a port, with the brackets around an IPv6 address.
 * @returns null for an invalid address
 */
export function parseAddress(word = ''): string | null {
  if (word.length > longestWord) return null;
  const [, inBrackets] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(word) ?? [];
  const [, beforePort] = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(word) ?? [];
  const address = inBrackets ?? beforePort ?? word;
  if (isIP(address) === 4) return inBrackets === undefined ? address : null;
  if (isIP(address) !== 6) return null;
  const parsed = ipaddr.process(address.replace(/%.*/, ''));
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}

/**
 * Returns the network that limits count: IPv4 itself, IPv6 its /64, because a customer gets at least a /64 and may use any address in it.
 * @param address canonical, or null when unknown; all unknown ones count as one
 */
export function networkOf(address: string | null): string {
  return address !== null && isIP(address) === 6 ? networkOfLength(address, 64) : (address ?? '');
}

/**
 * Returns the wider network of an address: IPv4 its /24, IPv6 its /48, which one customer may own. A /48 has 65,536 networks of /64, so
 * limits of each alone do not limit its owner.
 * @param address canonical, or null when unknown
 */
export function wideNetworkOf(address: string | null): string {
  const version = isIP(address ?? '');
  return address !== null && version !== 0 ? networkOfLength(address, version === 4 ? 24 : 48) : (address ?? '');
}

function networkOfLength(address: string, bits: number): string {
  const version = isIP(address) === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${version.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;
}
