import { openAddress, sealAddress } from '../../src/platform/sealed-address.ts';

const secret = 'a secret of at least thirty-two characters';
const caller = { actor: { kind: 'anonymous' }, requestId: 'request-1', ip: '2001:db8::7:1' } as const;

test('an address travels unreadable and arrives as it was', () => {
  const sealed = sealAddress(caller, secret);
  expect(sealed).toEqual({ ...caller, ip: expect.stringMatching(/^sealed:[\w-]+$/) });
  expect(Buffer.from((sealed.ip ?? '').slice(7), 'base64url').toString('latin1')).not.toContain(caller.ip);
  expect(sealAddress(caller, secret).ip).not.toBe(sealed.ip);
  expect(openAddress(sealed, secret)).toEqual(caller);
});

test('it opens for its own request, with its own secret and as it was written, or not at all', () => {
  const sealed = sealAddress(caller, secret);
  const cut = { ...sealed, ip: sealed.ip?.slice(0, -12) ?? null };
  expect(() => openAddress({ ...sealed, requestId: 'request-2' }, secret)).toThrow();
  expect(() => openAddress(sealed, `${secret}!`)).toThrow();
  expect(() => openAddress(sealed, undefined)).toThrow();
  expect(() => openAddress(cut, secret)).toThrow();
  expect(() => openAddress({ ...sealed, ip: 'sealed:' }, secret)).toThrow();
});

test('histories from before hold it as it is; without a secret none is sent', () => {
  expect(openAddress(caller, secret)).toEqual(caller);
  expect(sealAddress(caller, undefined)).toEqual({ ...caller, ip: null });
  expect(sealAddress({ ...caller, ip: null }, secret).ip).toBeNull();
});
