import { createHash } from 'node:crypto';
import { pageTexts, renderUnknown, renderVerification } from '../../../src/areas/verification/page.ts';
import type { Verification } from '../../../src/areas/verification/wire.ts';
import { chooseLanguage, languages } from '../../../src/http/language.ts';
import { htmlOf, shell } from '../../support/texts/page-html.ts';

const facts: Verification = {
  valid: true,
  state: 'valid',
  kind: 'national_certificate',
  number: 'KZ-N-2026-000001',
  valid_from: '2026-03-01',
  valid_until: '2026-12-31',
  documents_access: false,
  checked_at: '2026-03-01T23:30:00+05:00',
};

test.each<[unknown, string | undefined, string]>([
  ['kk', 'en', 'kk'],
  [undefined, 'en-GB,en;q=0.9', 'en'],
  [undefined, 'de,kk;q=0.4,en;q=0.8', 'en'],
  [undefined, 'en;q=0, KK-kz', 'kk'],
  ['de', 'fr', 'ru'],
  [['kk', 'en'], undefined, 'ru'],
  [undefined, ';;;,,q=9', 'ru'],
])('language of %j with %j is %s', (chosen, header, language) => {
  expect(chooseLanguage(chosen, header)).toBe(language);
});

test.each(languages)('VER-7: the page in %s states the result in words and the facts', (language) => {
  const page = htmlOf(renderVerification(facts, [], language));
  expect(page).toContain(`<html lang="${language}">`);
  expect(page).toContain(pageTexts[language].heading.valid);
  expect(page).toContain(facts.number);
  expect(page).toContain('2026');
  expect(page).toContain('23:30:00');
  expect(page).not.toContain('<script');
  expect(page).toContain('width=device-width');
  expect(htmlOf(renderVerification({ ...facts, valid: false, state: 'annulled' }, [], language))).toContain(
    pageTexts[language].states.annulled,
  );
  expect(htmlOf(renderUnknown(language))).toContain(pageTexts[language].heading.unknown);
});

test('the content policy allows exactly the style of the page', () => {
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(htmlOf(renderUnknown('en'))) ?? [];
  expect(shell.headersOf({ language: 'ru' })['Content-Security-Policy']).toContain(
    `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
});

test('values of a record are escaped', () => {
  const page = htmlOf(
    renderVerification({ ...facts, number: '"><script>alert(1)</script>\'&' }, [{ type: 'medical', url: 'https://x/"><img>' }], 'en'),
  );
  expect(page).not.toContain('<script');
  expect(page).not.toContain('<img');
  expect(page).toContain('&quot;&gt;&lt;script&gt;');
});
