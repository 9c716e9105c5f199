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
  const words = lastWords(forwardedFor, hops).map(parseAddress);
  const [client] = words;
  return words.length === hops && !words.includes(null) && client ? client : ofSocket;
}

/** Returns the last words of a list, from left to right, without splitting the rest. */
function lastWords(list: string, count: number): string[] {
  const words: string[] = [];
  for (let end = list.length; words.length < count && end >= 0;) {
    const comma = end === 0 ? -1 : list.lastIndexOf(',', end - 1);
    words.unshift(list.slice(comma + 1, end).trim());
    end = comma;
  }
  return words;
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
  const [withoutZone = ''] = address.split('%');
  const groups = groupsOf(withoutZone);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return dotted(groups[6] ?? 0, groups[7] ?? 0);
  // The URL standard's serializer writes the canonical form.
  return new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
}

/**
 * Returns the network that limits count: IPv4 itself, IPv6 its /64, because a customer gets at least a /64 and may use any address in it.
 * @param address canonical, or null when unknown; all unknown ones count as one
 */
export function networkOf(address: string | null): string {
  if (address === null || isIP(address) !== 6) return address ?? '';
  const [one = 0, two = 0, three = 0, four = 0] = groupsOf(address);
  return `${[one, two, three, four].map((group) => group.toString(16)).join(':')}::/64`;
}

/**
 * Returns the wider network of an address: IPv4 its /24, IPv6 its /48, which one customer may own. A /48 has 65,536 networks of /64, so
 * limits of each alone do not limit its owner.
 * @param address canonical, or null when unknown
 */
export function wideNetworkOf(address: string | null): string {
  if (address === null) return '';
  const version = isIP(address);
  if (version === 4) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  if (version !== 6) return address;
  const [one = 0, two = 0, three = 0] = groupsOf(address);
  return `${[one, two, three].map((group) => group.toString(16)).join(':')}::/48`;
}

/** Returns the eight numbers of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [left = '', right] = address.split('::');
  const before = numbersOf(left);
  if (right === undefined) return before;
  const after = numbersOf(right);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function numbersOf(part: string): number[] {
  return part === '' ? [] : part.split(':').flatMap((word) => (word.includes('.') ? pairOf(word) : [Number.parseInt(word, 16)]));
}

/** Converts an IPv4 address at the end of an IPv6 one to its two groups. */
function pairOf(address: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
