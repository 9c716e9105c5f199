import { ConfigurationError, loadConfig } from '../../src/config.ts';
import { findClientAddress, networkOf, parseAddress, wideNetworkOf } from '../../src/http/request/client-address.ts';

const proxy = '10.0.0.1';

describe('the address of the client', () => {
  test.each<[what: string, header: string | undefined, hops: number, address: string]>([
    ['without a proxy the header is not looked at', '203.0.113.9', 0, proxy],
    ['one proxy: the word it appended', '203.0.113.9', 1, '203.0.113.9'],
    ['one proxy: what the client claimed is left of it', '198.51.100.1, 203.0.113.9', 1, '203.0.113.9'],
    ['two proxies: the second from the right', '198.51.100.1, 203.0.113.9, 10.0.0.2', 2, '203.0.113.9'],
    ['two proxies, called past the outer one', '203.0.113.9', 2, proxy],
    ['no header behind a proxy', undefined, 1, proxy],
    ['an empty header', '', 1, proxy],
    ['an empty word where the proxy writes', '203.0.113.9,', 1, proxy],
    ['a word that is no address', '203.0.113.9, unknown', 1, proxy],
    ['a hop that is no address', '203.0.113.9, nonsense', 2, proxy],
    ['no blanks between the words', '198.51.100.1,203.0.113.9', 1, '203.0.113.9'],
    ['an address with a port', '203.0.113.9:51234', 1, '203.0.113.9'],
    ['IPv6 in brackets with a port', '[2001:db8::9]:51234', 1, '2001:db8::9'],
    ['IPv6 in brackets', '[2001:db8::9]', 1, '2001:db8::9'],
    ['IPv6 written otherwise is the same address', '2001:0DB8:0:0::0009', 1, '2001:db8::9'],
    ['IPv4 inside of IPv6', '::ffff:203.0.113.9', 1, '203.0.113.9'],
    ['the same in hexadecimals', '::FFFF:cb00:7109', 1, '203.0.113.9'],
    ['a host name', 'localhost', 1, proxy],
    ['a number that other parsers take for an address', '3405803785', 1, proxy],
    ['octets with zeros in front', '203.0.113.009', 1, proxy],
    ['a port that is none', '203.0.113.9:http', 1, proxy],
    ['more after the port', '203.0.113.9:80:80', 1, proxy],
    ['an address with more around it', '"203.0.113.9"', 1, proxy],
    ['markup', '<script>', 1, proxy],
  ])('%s', (_what, header, hops, address) => {
    expect(findClientAddress(proxy, header, hops)).toBe(address);
  });

  test('is that of the socket in canonical form, and empty once the socket is closed', () => {
    expect(findClientAddress('::ffff:127.0.0.1', undefined, 0)).toBe('127.0.0.1');
    expect(findClientAddress('fe80::1%eth0', undefined, 0)).toBe('fe80::1');
    expect(findClientAddress(undefined, undefined, 0)).toBe('');
  });

  test('is parsed quickly in a header of any length', () => {
    const header = `${'1.1.1.1, '.repeat(100_000)}203.0.113.9`;
    const before = process.threadCpuUsage();
    expect(findClientAddress(proxy, header, 1)).toBe('203.0.113.9');
    expect(findClientAddress(proxy, ','.repeat(1_000_000), 1)).toBe(proxy);
    expect(findClientAddress(proxy, ' '.repeat(1_000_000), 1)).toBe(proxy);
    expect(findClientAddress(proxy, '['.repeat(1_000_000), 1)).toBe(proxy);
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(500);
  });
});

test.each([
  [{}, 0],
  [{ TRUST_PROXY_HOPS: '2' }, 2],
])('%p trusts %d proxies', (variables, hops) => {
  expect(loadConfig(variables).TRUST_PROXY_HOPS).toBe(hops);
});

test.each(['-1', '1.5', 'all'])('TRUST_PROXY_HOPS=%s is refused', (hops) => {
  expect(() => loadConfig({ TRUST_PROXY_HOPS: hops })).toThrow(ConfigurationError);
});

test('an invalid address is not parsed', () => {
  for (const word of ['', '256.1.1.1', '1.1.1', '[1.2.3.4]', '[::1', '::1]', '2001:db8::9:80:1:2:3:4', ':::', '%eth0'])
    expect([word, parseAddress(word)]).toEqual([word, null]);
});

test('IPv6 counts by its /64, IPv4 by address', () => {
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8::1')).toBe('2001:db8::/64');
  expect(networkOf('2001:db8:0:1::1')).not.toBe(networkOf('2001:db8::1'));
  expect(networkOf('::1')).toBe('::/64');
  expect(networkOf(null)).toBe('');
});

test('the wider network of an IPv6 address is its /48, of an IPv4 address its /24', () => {
  expect(wideNetworkOf('203.0.113.9')).toBe('203.0.113.0/24');
  expect(wideNetworkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1::/48');
  expect(wideNetworkOf('2001:db8::1')).toBe('2001:db8::/48');
  expect(wideNetworkOf('unknown')).toBe('unknown');
  expect(wideNetworkOf(null)).toBe('');
});
