import ipaddr from 'ipaddr.js';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Finds the client's address. Trusts only what our own proxies wrote: each appends the address that called it, so of `hops` proxies the
 * outermost wrote the word that many from the right. Words further left come with the request and may be forged. A header that does not fit
 * counts as absent, and the socket's address is used: going around the proxies gains nothing.
 * @param socketAddress of the connection; undefined once it is closed
 * @param forwardedFor the header `X-Forwarded-For`, several of them joined by commas
 * @param hops number of proxies in front (`TRUST_PROXY_HOPS`); 0: the header is ignored
 * @returns the canonical form, so that one client has one address; empty when there is none
 */
export function findClientAddress(socketAddress: string | undefined, forwardedFor: string | undefined, hops: number): string {
  const ofSocket = parseAddress(socketAddress ?? '') ?? '';
  if (hops === 0 || forwardedFor === undefined) return ofSocket;
  const words = forwardedFor
    .split(',')
    .slice(-hops)
    .map((word) => parseAddress(word.trim()));
  const [client] = words;
  return words.length === hops && !words.includes(null) && client ? client : ofSocket;
}

/** Finds the client's address of a request (`findClientAddress`). */
export function clientAddressOf({ socket, headers }: IncomingMessage, hops: number): string {
  const forwardedFor = headers['x-forwarded-for'];
  return findClientAddress(socket.remoteAddress, Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor, hops);
}

/** Longer than any address with brackets and a port: 45 characters, `[]`, `:65535`. */
const longestWord = 60;

/**
 * Parses an IP address into its canonical form: IPv6 as RFC 5952 writes it, without a zone; an IPv4-mapped one as IPv4 (RFC 4291 §2.5.5.2).
 * Drops a port, with the brackets around an IPv6 address.
 * @returns null for an invalid address
 */
export function parseAddress(word: string): string | null {
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
