import { decryptSecret, encryptSecret } from '../../../src/platform/secrets/encryption.ts';

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
const place = { purpose: 'tests', record: 'user/1' };

test('a secret is decrypted only for its purpose and record, and unchanged', () => {
  const stored = encryptSecret(first, 'a secret', place);
  expect(stored).not.toContain('secret');
  expect(encryptSecret(first, 'a secret', place)).not.toBe(stored);
  expect(decryptSecret(first, stored, place)).toEqual({ secret: 'a secret', isCurrent: true });
  const damaged = `${stored.slice(0, -5)}${stored.at(-5) === 'A' ? 'B' : 'A'}${stored.slice(-4)}`;
  for (const [value, where] of [
    [stored, { ...place, record: 'user/2' }],
    [stored, { ...place, purpose: 'other tests' }],
    [damaged, place],
    ['', place],
  ] as const)
    expect(() => decryptSecret(first, value, where)).toThrow(/^no ENCRYPTION_KEY decrypts the secret of user\/\d; add the former key/);
});

test('while two keys are named, both decrypt and the first encrypts', () => {
  const former = encryptSecret(first, 'a secret', place);
  expect(decryptSecret(`${second},${first}`, former, place)).toEqual({ secret: 'a secret', isCurrent: false });
  const current = encryptSecret(`${second},${first}`, 'a secret', place);
  expect(decryptSecret(second, current, place)).toEqual({ secret: 'a secret', isCurrent: true });
  expect(() => decryptSecret(second, former, place)).toThrow('no ENCRYPTION_KEY');
});
