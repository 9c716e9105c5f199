import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

/** Ports below this one belong to system services; webhooks use those of HTTP alone. */
const firstFreePort = 1024;
const portsOfHttp: ReadonlySet<string> = new Set(['80', '443']);

/** What the operator's configuration says about outgoing requests. */
export interface OutgoingRules {
  /** Refuses plain HTTP. */
  isProduction: boolean;
  /** Hosts as in URLs whose addresses are not judged. */
  allowedHosts: readonly string[];
}

/** IPv6 that IANA gives out for the public network; all other addresses are special or unused. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Returns whether an address is public (WHK-7): no special range of IPv4, and inside 2000::/3 none that is special or embeds an IPv4 address. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast));
}

/** The problem of a URL with a literal address inside a network (`findUrlProblem`). */
export const privateAddress = 'must have a public address';

/**
 * Says why a URL cannot receive requests (WHK-7); null when it can. A name is judged by its addresses, at each connection.
 */
export function findUrlProblem(text: string, { isProduction, allowedHosts }: OutgoingRules): string | null {
  if (!URL.canParse(text)) return 'must be a URL';
  const { protocol, hostname, port, username, password } = new URL(text);
  if (protocol !== 'https:' && (isProduction || protocol !== 'http:'))
    return isProduction ? 'must be an https URL' : 'must be an http or https URL';
  if (username !== '' || password !== '') return 'must not have a user name or a password';
  if (port !== '' && Number(port) < firstFreePort && !portsOfHttp.has(port)) return 'must not have a port of another service';
  const literal = literalOf(hostname);
  if (literal !== null && !allowedHosts.includes(hostname) && !isPublicAddress(literal)) return privateAddress;
  return null;
}

/** Returns the address of a URL's host that is no name; null for a name. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}
