import {
  accessMail,
  apiKeyMail,
  confirmationMail,
  contactMail,
  newNetworkMail,
  passwordMail,
  recoveryMail,
  webhookMail,
} from '../../../src/areas/accounts/mails.ts';
import { loadConfig } from '../../../src/registry/config.ts';
import { type Language, languages } from '../../../src/http/language.ts';
import { defaultBrand } from '../../../src/platform/brand/brand.ts';

const config = loadConfig({ BASE_URL: 'https://registry.example.kz' });
const site = { config, brand: defaultBrand };
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

function linksIn(language: Language) {
  const link = { email: 'a@example.kz', language, token: 'abc' };
  return [recoveryMail(site, link), confirmationMail(site, link)];
}

/** All other mails to the owner of an account. */
function mailsIn(language: Language, emailConfirmed = true, role: 'user' | 'administrator' = 'user') {
  const to = { email: 'a@example.kz', language, emailConfirmed, role };
  return [
    newNetworkMail(site, to, { now: at, ip: '192.0.2.7' }),
    ...(['password', 'link'] as const).flatMap((how) =>
      [
        { revokedKeys: 0, keptKeys: 0, disabledWebhooks: 0 },
        { revokedKeys: 2, keptKeys: 0, disabledWebhooks: 4 },
        { revokedKeys: 0, keptKeys: 3, disabledWebhooks: 0 },
      ].map((keys) => passwordMail(site, { owner: to, at, ...keys }, how)),
    ),
    apiKeyMail(site, to, key),
    ...(['created', 'redirected'] as const).map((what) => webhookMail(site, to, { what, url: 'https://example.com/hooks?key=abc', at })),
    ...[
      { role: null, status: 'blocked' as const },
      { role: null, status: 'active' as const },
      { role: 'administrator' as const, status: null },
      { role: 'user' as const, status: 'blocked' as const },
    ].map((change) => accessMail(site, { owner: to, at, ...change })),
  ];
}

test('an address that is not confirmed gets none of these mails (ACC-23), but an administrator always does', () => {
  for (const language of languages) {
    expect(mailsIn(language, false)).toEqual(mailsIn(language).map(() => null));
    expect(mailsIn(language, false, 'administrator')).toEqual(mailsIn(language));
  }
});

test.each(languages)('every mail about an account is in its language: %s (ACC-19)', (language) => {
  const mails = mailsIn(language).flatMap((mail) => mail ?? []);
  expect(mails).toHaveLength(mailsIn(language).length);
  for (const { to, subject, text, unsubscribe } of [...linksIn(language), ...mails]) {
    expect([to, unsubscribe]).toEqual(['a@example.kz', undefined]);
    expect(subject).toMatch(/^\p{Lu}.{10,80}[^.]$/u);
    expect(text).not.toMatch(/undefined|null|NaN|\[object| {2}|\/api\//);
    // The foot (NOT-10).
    expect(text.split('\n').slice(-4)).toEqual(['', '-- ', defaultBrand.name[language], 'https://registry.example.kz/']);
    const own = `${subject}\n${text}`.replaceAll(/https:\S+|\bAPI\b|\bUTC\b|files:read|Касса/g, '');
    if (language === 'en') expect(own).not.toMatch(/\p{Script=Cyrillic}/u);
    else expect(own).not.toMatch(/[a-z]/i);
  }
});

test.each(languages)('contents of the mails: %s', (language) => {
  const [recovery, confirmation] = linksIn(language);
  const [network, ...others] = mailsIn(language).flatMap((mail) => mail ?? []);
  expect(recovery?.text).toContain(`\nhttps://registry.example.kz/reset?token=abc&lang=${language}\n`);
  expect(recovery?.text).toContain('30');
  expect(confirmation?.text).toContain(`\nhttps://registry.example.kz/confirm-email?token=abc&lang=${language}\n`);
  expect(confirmation?.text).toContain('24');
  expect(network?.text).toContain('192.0.2.7');
  const texts = others.map(({ text }) => text.replaceAll('\u00a0', ' '));
  for (const text of texts) expect(text).toContain('(UTC+5)');
  expect(texts[1]).toContain(': 2.');
  expect(texts[1]).toContain(': 4.');
  expect(texts[2]).toContain(': 3.');
  // The proof of the change and the effects on keys and rights have their own texts.
  expect(new Set(texts).size).toBe(texts.length);
  expect(others.at(-1)?.text.split('\n')).toHaveLength(9);
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
  expect(contactMail(site, message)).toEqual({
    to: config.ADMIN_EMAIL,
    subject: 'Форма обратной связи: сообщение 5',
    text: `От: Ержан <e@example.kz>\n\nWhen does the season begin?\n\n-- \n${defaultBrand.name.ru}\nhttps://registry.example.kz/`,
  });
});
