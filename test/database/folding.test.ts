import fc from 'fast-check';
import { Client } from 'pg';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

/** The database folds texts for all searches; a person writes one name in several ways. */

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const letters = fc.constantFrom(...'АаБёЁйЙәҒғҚқңӨұҮүһіІзкé́ї', 'o\u0302\u0301', 'İ', "'", '-', '%', '_', '\\');
const word = fc.string({ unit: letters, minLength: 1, maxLength: 12 });

test('composed and decomposed texts fold to one, in small letters', async () => {
  const texts = fc.sample(fc.string({ unit: fc.oneof(letters, fc.constant(' ')), maxLength: 30 }), 2_000);
  const { rows } = await client.query<{ text: string }>(
    `select text from unnest($1::text[], $2::text[]) as t (text, other)
     where folded(text) <> folded(other) or calendar_words(text) <> calendar_words(other)`,
    [texts.map((text) => text.normalize('NFC')), texts.map((text) => text.normalize('NFD'))],
  );
  expect(rows).toEqual([]);
});

test('the words of a text find it in any order, whatever signs are in them', async () => {
  const phrases = fc.sample(fc.array(word, { minLength: 1, maxLength: 5 }), 2_000);
  const { rows } = await client.query<{ text: string }>(
    `select text from unnest($1::text[], $2::text[]) as t (text, phrase) where not folded(text) like all (search_patterns(phrase))`,
    [phrases.map((words) => words.join(' ')), phrases.map((words) => words.toReversed().join(', ').toUpperCase().normalize('NFD'))],
  );
  expect(rows).toEqual([]);
});

test.each([
  ['Қасымова Әсем', 'асем касымова', true],
  ['Ёлкина', 'елкина', true],
  ['Ёлкина Анна', 'елкина мария', false],
  ['100%', '%', true],
  ['100', '%', false],
  ['a_b', 'a_b', true],
  ['axb', 'a_b', false],
  ['', ' , ', false],
  ['anything', '', false],
])('%j is found by %j: %s', async (text, phrase, expected) => {
  const { rows } = await client.query('select coalesce(folded($1) like all (search_patterns($2)), false) as found', [text, phrase]);
  expect(rows).toEqual([{ found: expected }]);
});
