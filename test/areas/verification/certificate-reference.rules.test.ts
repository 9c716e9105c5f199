import fc from 'fast-check';
import { parseCertificateReference } from '../../../src/areas/verification/find-certificate.ts';

const ours = 'https://registry.example.kz';
const token = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64url'));
const foreign = { by: 'nothing', problem: 'foreign_link' };
const leadsNowhere = { by: 'nothing', problem: 'no_certificate_link' };

test('VER-8: reads a number in upper or lower case', () => {
  expect(parseCertificateReference('KZ-N-2026-000001', ours)).toEqual({ by: 'number', number: 'KZ-N-2026-000001' });
  expect(parseCertificateReference(' kz-i-2026-00007 ', ours)).toEqual({ by: 'number', number: 'KZ-I-2026-00007' });
});

test('reads a token alone and from a QR link, case-sensitive', () => {
  const bases = ['http://127.0.0.1:8080', ours, 'https://example.kz/registry', 'https://example.kz:8443'];
  // Scanners, messengers and address bars change links like this.
  const shapes = ['', '/', '?lang=kk', '#top', '/?utm_source=chat', '.', '/.', ').', '».', ',', '#0oRDoQEm.', '>'];
  fc.assert(
    fc.property(token, fc.constantFrom(...bases), fc.constantFrom(...shapes), fc.boolean(), (code, base, end, hasScheme) => {
      const link = `${base}/v/${code}${end}`;
      const expected = { by: 'token', token: code };
      expect(parseCertificateReference(code, base)).toEqual(expected);
      expect(parseCertificateReference(`${code}».`, base)).toEqual(expected);
      expect(parseCertificateReference(hasScheme ? link : link.replace(/^https?:\/\//, ''), base)).toEqual(expected);
    }),
  );
});

test('VER-8: refuses a link to another host', () => {
  const hosts = ['evil.example', 'registry.example.kz.evil.example', 'registry.example.kz:8080', 'xregistry.example.kz', '[::1]'];
  fc.assert(
    fc.property(token, fc.constantFrom(...hosts), fc.constantFrom('http', 'https', 'HTTPS'), (code, host, scheme) => {
      expect(parseCertificateReference(`${scheme}://${host}/v/${code}`, ours)).toEqual(foreign);
    }),
  );
  const code = 'A'.repeat(43);
  for (const link of [
    `https://registry.example.kz@evil.example/v/${code}`,
    `https://user:secret@registry.example.kz/v/${code}`,
    `https://evil.example\\@registry.example.kz/v/${code}`,
    `ftp://registry.example.kz/v/${code}`,
    `javascript:alert(1)`,
    'https://',
    '//',
  ])
    expect(parseCertificateReference(link, ours)).toEqual(foreign);
});

test('reports a link of this service that is not a certificate', () => {
  const code = 'A'.repeat(43);
  for (const path of ['', '/', '/v/', `/v/${code}x`, `/v/${code}/documents`, `/a/${code}`, `/api/v1/verify/${code}`, `/registry/v/${code}`])
    expect(parseCertificateReference(`${ours}${path}`, ours)).toEqual(leadsNowhere);
  // A registry with a path prefix does not own the root of its host.
  expect(parseCertificateReference(`${ours}/v/${code}`, `${ours}/registry`)).toEqual(leadsNowhere);
});

test('returns a result for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string().map((text) => `https://${text}`),
      ),
      (text) => {
        const read = parseCertificateReference(text, ours);
        expect(['number', 'token', 'nothing']).toContain(read.by);
        if (read.by === 'token') expect(read.token).toMatch(/^[\w-]{43}$/);
      },
    ),
  );
});
