import { accessMail, apiKeyMail, contactMail, passwordMail, recoveryMail } from '../../../src/areas/accounts/mails.ts';
import { loadConfig } from '../../../src/config.ts';
import { type Language, languages } from '../../../src/http/language.ts';

const config = loadConfig({ BASE_URL: 'https://registry.example.kz' });
const at = new Date('2026-06-01T18:00:00+05:00');
const key = {
  id: 1,
  userId: 2,
  name: 'Касса',
  prefix: 'fsk_',
  keyHash: '',
  scopes: ['files:read' as const],
  expiresAt: at,
  createdAt: at,
  lastUsedAt: null,
  revokedAt: null,
};

function mailsIn(language: Language) {
  const to = { email: 'a@example.kz', language };
  return [
    recoveryMail(config, { ...to, token: 'abc' }),
    ...(['password', 'link'] as const).flatMap((how) =>
      [
        { revokedKeys: 0, keptKeys: 0 },
        { revokedKeys: 2, keptKeys: 0 },
        { revokedKeys: 0, keptKeys: 3 },
      ].map((keys) => passwordMail(config, { ...to, at, ...keys }, how)),
    ),
    apiKeyMail(config, to, key),
    ...[
      { role: null, status: 'blocked' as const },
      { role: null, status: 'active' as const },
      { role: 'administrator' as const, status: null },
      { role: 'user' as const, status: 'blocked' as const },
    ].map((change) => accessMail({ ...to, at, ...change })),
  ];
}

test.each(languages)('every mail about an account is in its language: %s (ACC-19)', (language) => {
  for (const { to, subject, text } of mailsIn(language)) {
    expect(to).toBe('a@example.kz');
    expect(subject).toMatch(/^\p{Lu}.{10,80}[^.]$/u);
    expect(text).not.toMatch(/undefined|null|NaN|\[object| {2}/);
    const own = `${subject}\n${text}`.replaceAll(/https:\S+|\bAPI\b|\bUTC\b|files:read|Касса/g, '');
    if (language === 'en') expect(own).not.toMatch(/\p{Script=Cyrillic}/u);
    else expect(own).not.toMatch(/[a-z]/i);
  }
});

test.each(languages)('contents of the mails: %s', (language) => {
  const [recovery, ...others] = mailsIn(language);
  expect(recovery?.text).toContain(`\nhttps://registry.example.kz/reset?token=abc&lang=${language}\n`);
  expect(recovery?.text).toContain('30');
  const texts = others.map(({ text }) => text.replaceAll('\u00a0', ' '));
  for (const text of texts) expect(text).toContain('(UTC+5)');
  expect(texts[1]).toContain(': 2.');
  expect(texts[2]).toContain(': 3.');
  // The proof of the change and the effects on keys and rights have their own texts.
  expect(new Set(texts).size).toBe(texts.length);
  expect(others.at(-1)?.text.split('\n')).toHaveLength(5);
});

test("the mail to the administrators' address is in Russian and quotes the sender", () => {
  const message = {
    id: 5,
    name: 'Ержан',
    email: 'e@example.kz',
    message: 'When does the season begin?',
    status: 'new' as const,
    createdAt: at,
    answeredAt: null,
    answeredBy: null,
    answerNote: null,
  };
  expect(contactMail(config, message)).toEqual({
    to: config.ADMIN_EMAIL,
    subject: 'Форма обратной связи: сообщение 5',
    text: 'От: Ержан <e@example.kz>\n\nWhen does the season begin?',
  });
});
