import { z } from 'zod';
import { emailAddress, line } from '../../src/http/schemas.ts';
import { validateParts } from '../../src/http/request/validate.ts';
import { asciiDomain, splitSearch, withoutPunctuation } from '../../src/platform/text.ts';

test('every text of a request is composed, and counted as it is stored (API-7)', () => {
  const schema = z.strictObject({ names: z.array(line(5)) });
  const { body } = validateParts([{ part: 'body', schema, value: { names: ['Йёқэй'.normalize('NFD'), 'e\u0301'] } }]);
  expect(body).toEqual({ names: ['Йёқэй'.normalize('NFC'), '\u00e9'] });
});

test.each([
  ['Aigerim@ПОШТА.қаз', 'Aigerim@xn--80a1acn3a.xn--80ao21a'],
  ['a@xn--80a1acn3a.xn--80ao21a', 'a@xn--80a1acn3a.xn--80ao21a'],
  ['a@example.kz', 'a@example.kz'],
  ['a@bücher.example', 'a@xn--bcher-kva.example'],
])('%s is %s', (written, kept) => {
  expect(emailAddress.parse(written)).toBe(kept);
  expect(asciiDomain(written.normalize('NFD')).normalize()).toBe(kept);
});

test.each([
  ['почта@example.kz', 'before the @'],
  ['почта@пошта.қаз', 'before the @'],
  ['a@', 'must be an e-mail address'],
  ['a@пошта .қаз', 'must be an e-mail address'],
  ['пошта.қаз', 'must be an e-mail address'],
])('refuses %s in words', (written, words) => {
  expect(emailAddress.safeParse(written).error?.issues[0]?.message).toContain(words);
});

test('takes certificate numbers out of the words of a search', () => {
  expect(splitSearch('Ким, kz-n-2026-000001 Анна')).toEqual({ numbers: ['KZ-N-2026-000001'], words: 'Ким Анна' });
  expect(splitSearch('a, b@ПОШТА.қаз')).toEqual({ numbers: [], words: 'a b@xn--80a1acn3a.xn--80ao21a' });
});

test('drops the punctuation of a sentence at the end of a link', () => {
  expect(withoutPunctuation('abc_-».')).toBe('abc_-');
});
