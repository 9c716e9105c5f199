import fc from 'fast-check';
import { dummyHash, hashPassword, verifyPassword } from '../../../src/areas/accounts/password-hash.ts';
import { registerBody } from '../../../src/areas/accounts/login/wire.ts';
import { isCommonPassword } from '../../../src/areas/accounts/wire.ts';

const withoutAddress = { ip: null };

describe('a hash of a password', () => {
  test('matches its password only, with any characters', async () => {
    const password = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(password, password, async (one, other) => {
        const hash = await hashPassword(one, withoutAddress);
        expect(await verifyPassword(one, hash, withoutAddress)).toBe(true);
        expect(await verifyPassword(other, hash, withoutAddress)).toBe(one.normalize('NFKC') === other.normalize('NFKC'));
      }),
      { numRuns: 6 },
    );
  });

  test('is argon2id with the recommended parameters and a new salt (ACC-1)', async () => {
    const [one, other] = await Promise.all([
      hashPassword('one and the same', withoutAddress),
      hashPassword('one and the same', withoutAddress),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(other);
  });

  test('verifies with its own parameters, and against another implementation', async () => {
    // The command of the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 24
    const foreign = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await verifyPassword('password', foreign, withoutAddress)).toBe(true);
    expect(await verifyPassword('Password', foreign, withoutAddress)).toBe(false);
  });

  test('matches the same password in other code points', async () => {
    expect(await verifyPassword('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait', withoutAddress), withoutAddress)).toBe(true);
  });

  test('for an unknown e-mail costs as much as a real one and matches nothing (ACC-2)', async () => {
    expect(dummyHash.split('$').slice(0, 4)).toEqual((await hashPassword('anything', withoutAddress)).split('$').slice(0, 4));
    expect(await verifyPassword('anything', dummyHash, withoutAddress)).toBe(false);
  });

  test('waits in a short queue for each address; other addresses are served meanwhile', async () => {
    const flood = Promise.allSettled(Array.from({ length: 50 }, () => hashPassword('a flood', { ip: '203.0.113.1' })));
    let isFloodOver = false;
    void flood.then(() => (isFloodOver = true));
    await hashPassword('a person', { ip: '203.0.113.2' });
    expect(isFloodOver).toBe(false);
    const refused = (await flood).flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    expect(refused).toHaveLength(40);
    expect(refused[0]).toMatchObject({ code: 'rate_limited', details: { retry_after_seconds: 1 } });
  });

  test('is not computed for clients that disconnected', async () => {
    const controller = new AbortController();
    const left = Promise.allSettled(
      Array.from({ length: 10 }, () => hashPassword('left', { ip: '203.0.113.1', signal: controller.signal })),
    );
    controller.abort();
    // Two derivations were already running.
    expect((await left).filter(({ status }) => status === 'rejected')).toHaveLength(8);
  });
});

// ACC-1
describe('common passwords', () => {
  test.each([
    'qwerty123456',
    'PASSWORD1234',
    '123456789012',
    'passwordpassword',
    'aaaaaaaaaaaaaaa',
    'abcabcabcabc',
    'ﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀﬀ',
    'Federation-2026!',
    'sportRegistry#1',
    'Реестр-Федерация-1',
  ])('%s is refused', (password) => expect(isCommonPassword(password)).toBe(true));
  test.each(['a-long-enough-secret', 'correct horse battery staple', 'Ұзын құпиясөз 2026', '739105826441', 'registry of my grandmother'])(
    '%s is accepted',
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );
});

describe('the form of an account', () => {
  const form = {
    email: ' Aigerim@Example.KZ ',
    password: 'a-long-enough-secret',
    name: ' Әйгерім ',
    captcha_id: '3f0c7a4e-6f0e-4a53-9a0e-0d9a3a0b7c11',
    captcha_answer: 'abcde',
  };

  test('stores the e-mail in lower case and the name without blanks around it', () => {
    expect(registerBody.parse(form)).toMatchObject({ email: 'aigerim@example.kz', name: 'Әйгерім' });
  });

  test.each(['admin@localhost', "o'neil+tag@sub.example.co", 'a@1.kz'])('%s is an e-mail address', (email) => {
    expect(registerBody.safeParse({ ...form, email }).success).toBe(true);
  });
  test.each(['not-an-email', 'a@', '@b.kz', 'a b@c.kz', 'a@-b.kz', 'a@b..kz', 'a@b.kz, c@d.kz', 'İ@b.kz', `a@${'b'.repeat(64)}.kz`])(
    '%s is none',
    (email) => {
      expect(registerBody.safeParse({ ...form, email }).success).toBe(false);
    },
  );
});
