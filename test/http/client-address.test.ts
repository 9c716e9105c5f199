import { ConfigurationError, loadConfig } from '../../src/registry/config.ts';
import { clientAddressOf, networkOf, parseAddress, proxiesIn, wideNetworkOf } from '../../src/http/request/client-address.ts';

const proxy = '10.0.0.1';
const addressOf = (socket: string | undefined, header: string | undefined, proxies: readonly string[]): string =>
  clientAddressOf(
    { socket: { remoteAddress: socket }, headers: header === undefined ? {} : { 'x-forwarded-for': header } },
    proxiesIn(proxies),
  );

describe('the address of the client', () => {
  const one = ['10.0.0.1'];
  const net = ['10.0.0.0/24', '2001:db8:f::/48'];
  test.each<[what: string, header: string | undefined, proxies: string[], address: string]>([
    ['without a proxy the header is ignored', '203.0.113.9', [], proxy],
    ['a header from any other address is ignored', '203.0.113.9', ['10.0.0.2', 'loopback'], proxy],
    ['one proxy: the word it appended', '203.0.113.9', one, '203.0.113.9'],
    ['one proxy: what the client claimed is left of it', '198.51.100.1, 203.0.113.9', one, '203.0.113.9'],
    ['two proxies: the first word that is no proxy', '198.51.100.1, 203.0.113.9, 10.0.0.2', net, '203.0.113.9'],
    ['two proxies, called past the outer one', '198.51.100.1, 203.0.113.9', net, '203.0.113.9'],
    ['a proxy of the other family', '203.0.113.9, 2001:db8:f::1', net, '203.0.113.9'],
    ['a proxy with its port', '203.0.113.9, 10.0.0.2:443', net, '203.0.113.9'],
    ['a request of a proxy itself', '10.0.0.2', net, '10.0.0.2'],
    ['names of networks', '203.0.113.9', ['uniquelocal'], '203.0.113.9'],
    ['no header behind a proxy', undefined, one, proxy],
    ['an empty header', '', one, proxy],
    ['an empty word is no word (RFC 9110 §5.6.1)', '203.0.113.9,', one, '203.0.113.9'],
    ['a word that is no address', '203.0.113.9, unknown', one, proxy],
    ['a hop that is no address', '203.0.113.9, nonsense, 10.0.0.2', net, '10.0.0.2'],
    ['no blanks between the words', '198.51.100.1,203.0.113.9', one, '203.0.113.9'],
    ['an address with a port', '203.0.113.9:51234', one, '203.0.113.9'],
    ['IPv6 in brackets with a port', '[2001:db8::9]:51234', one, '2001:db8::9'],
    ['IPv6 in brackets', '[2001:db8::9]', one, '2001:db8::9'],
    ['IPv6 written otherwise is the same address', '2001:0DB8:0:0::0009', one, '2001:db8::9'],
    ['IPv4 inside of IPv6', '::ffff:203.0.113.9', one, '203.0.113.9'],
    ['the same in hexadecimals', '::FFFF:cb00:7109', one, '203.0.113.9'],
    ['a host name', 'localhost', one, proxy],
    ['a number that other parsers take for an address', '3405803785', one, proxy],
    ['octets with zeros in front', '203.0.113.009', one, proxy],
    ['a port that is none', '203.0.113.9:http', one, proxy],
    ['more after the port', '203.0.113.9:80:80', one, proxy],
    ['an address with more around it', '"203.0.113.9"', one, proxy],
    ['markup', '<script>', one, proxy],
  ])('%s', (_what, header, proxies, address) => {
    expect(addressOf(proxy, header, proxies)).toBe(address);
  });

  test('is that of the socket in canonical form, and empty once the socket is closed', () => {
    expect(addressOf('::ffff:127.0.0.1', undefined, [])).toBe('127.0.0.1');
    expect(addressOf('fe80::1%eth0', undefined, [])).toBe('fe80::1');
    expect(addressOf(undefined, '203.0.113.9', one)).toBe('');
    expect(addressOf('::ffff:10.0.0.1', '203.0.113.9', one)).toBe('203.0.113.9');
  });

  test('is parsed quickly in a header of any length', () => {
    const header = `${'1.1.1.1, '.repeat(100_000)}203.0.113.9`;
    const before = process.threadCpuUsage();
    expect(addressOf(proxy, header, one)).toBe('203.0.113.9');
    expect(addressOf(proxy, ','.repeat(1_000_000), one)).toBe(proxy);
    expect(addressOf(proxy, ' '.repeat(1_000_000), one)).toBe(proxy);
    expect(addressOf(proxy, '['.repeat(1_000_000), one)).toBe(proxy);
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(500);
  });
});

test('TRUST_PROXY is a list of addresses', () => {
  expect(loadConfig({}).TRUST_PROXY).toEqual([]);
  expect(loadConfig({ TRUST_PROXY: '10.0.0.1, 10.1.0.0/16,2001:db8::/32, loopback' }).TRUST_PROXY).toHaveLength(4);
});

test.each(['1', 'all', '10.0.0.0/33', '10.0.0.1;10.0.0.2', '0.0.0.0/0'])('TRUST_PROXY=%s is refused', (proxies) => {
  expect(() => loadConfig({ TRUST_PROXY: proxies })).toThrow(ConfigurationError);
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
