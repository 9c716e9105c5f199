import { decryptAddress, encryptAddress } from '../../../src/platform/secrets/encrypted-address.ts';

const secret = 'a secret of at least thirty-two characters';
const caller = { actor: { kind: 'anonymous' }, requestId: 'request-1', ip: '2001:db8::7:1' } as const;

test('an address is encrypted and decrypted', () => {
  const encrypted = encryptAddress(caller, secret);
  expect(encrypted).toEqual({ ...caller, ip: expect.stringMatching(/^encrypted:[\w-]+$/) });
  expect(Buffer.from((encrypted.ip ?? '').slice(10), 'base64url').toString('latin1')).not.toContain(caller.ip);
  expect(encryptAddress(caller, secret).ip).not.toBe(encrypted.ip);
  expect(decryptAddress(encrypted, secret)).toEqual(caller);
});

test('it is decrypted only for its request, with its secret and unchanged', () => {
  const encrypted = encryptAddress(caller, secret);
  const cut = { ...encrypted, ip: encrypted.ip?.slice(0, -12) ?? null };
  expect(() => decryptAddress({ ...encrypted, requestId: 'request-2' }, secret)).toThrow();
  expect(() => decryptAddress(encrypted, `${secret}!`)).toThrow();
  expect(() => decryptAddress(encrypted, undefined)).toThrow();
  expect(() => decryptAddress(cut, secret)).toThrow();
  expect(() => decryptAddress({ ...encrypted, ip: 'encrypted:' }, secret)).toThrow();
});

test('after a change of the secret both are decrypted while both are named, and the new one encrypts', () => {
  const next = `${secret} of the next year`;
  const former = encryptAddress(caller, secret);
  const both = `${next},${secret}`;
  expect(decryptAddress(former, both)).toEqual(caller);
  expect(decryptAddress(encryptAddress(caller, both), next)).toEqual(caller);
  expect(() => decryptAddress(former, next)).toThrow('no SESSION_SECRET decrypts');
});

test('old histories have it in plain text; without a secret no address is sent', () => {
  expect(decryptAddress(caller, secret)).toEqual(caller);
  expect(encryptAddress(caller, undefined)).toEqual({ ...caller, ip: null });
  expect(encryptAddress({ ...caller, ip: null }, secret).ip).toBeNull();
});
