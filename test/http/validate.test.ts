import { z } from 'zod';
import { type FieldProblem, isDomainError } from '../../src/errors.ts';
import { parseQuery, validateParts } from '../../src/http/request/validate.ts';

const person = z.strictObject({
  name: z.string(),
  tags: z.array(z.string()).optional(),
  home: z.strictObject({ city: z.string() }).optional(),
});
const review = z.discriminatedUnion(
  'kind',
  ['a', 'b', 'c', 'd', 'e', 'f'].map((kind) => z.strictObject({ kind: z.literal(kind), id: z.int() })) as never,
);

/** The refusal of a body. */
function refusal(schema: z.ZodType, value: unknown): { fields: FieldProblem[]; more?: number } {
  try {
    validateParts([{ part: 'body', schema, value }]);
  } catch (error) {
    if (isDomainError(error) && error.code === 'validation_failed') return error.details as { fields: FieldProblem[]; more?: number };
    throw error;
  }
  throw new Error('the body was accepted');
}

const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
const pathsOf = ({ fields }: { fields: FieldProblem[] }) => fields.map(({ path }) => path);

describe('many problems', () => {
  test('100 are all reported', () => {
    const { fields, more } = refusal(person, { name: 'x', ...unknown(100) });
    expect([fields.length, more]).toEqual([100, undefined]);
  });

  test.each([101, 150, 201, 1_000, 60_000])('of %i unknown fields the first hundred are reported, with the number of others', (count) => {
    const refused = refusal(person, { ...unknown(count), name: 'x' });
    expect(refused.fields).toHaveLength(100);
    expect(refused.fields[0]).toEqual({ path: 'body.k0', code: 'unknown_field', message: 'there is no such field' });
    expect(refused.more).toBe(count - 100);
  });

  test('API-2: known and unknown fields are reported together, at any depth', () => {
    const refused = refusal(person, { ...unknown(60_000), name: 7, home: { ...unknown(50_000), city: 7 } });
    expect(refused.fields).toHaveLength(100);
    expect(pathsOf(refused)).toEqual(expect.arrayContaining(['body.name', 'body.home.city']));
    // Two wrong values beside the unknown ones.
    expect(refused.more).toBe(110_002 - 100);
  });

  test('one of several kinds', () => {
    expect(refusal(review, { kind: 'c', id: 1, ...unknown(60_000) }).more).toBe(59_900);
    const refused = refusal(review, { id: 'x', ...unknown(60_000) });
    expect(pathsOf(refused).slice(0, 2)).toEqual(['body.kind', 'body.id']);
    expect(refused.more).toBe(60_002 - 100);
  });

  test('an oversized list is one problem, and its elements are not validated', () => {
    expect(refusal(person, { name: 'x', tags: Array.from({ length: 500_000 }, () => 0) })).toEqual({
      fields: [{ path: 'body.tags', code: 'too_big', message: 'has more than 1000 elements' }],
    });
    expect(refusal(person, { name: 'x', tags: Array.from({ length: 1_000 }, () => 0) }).more).toBe(900);
  });

  test('an oversized text is one problem, and no rule of its field runs', () => {
    const slow = z.strictObject({
      name: z.string().refine((text) => {
        if (text.length > 10_000) throw new Error('the body was validated');
        return text !== '';
      }),
    });
    expect(refusal(slow, { name: 'x'.repeat(1_000_000) })).toEqual({
      fields: [{ path: 'body.name', code: 'too_big', message: 'has more than 10000 characters' }],
    });
  });

  test('a schema with free names refuses wide objects too', () => {
    const refused = refusal(z.record(z.string(), z.int()), unknown(60_000));
    expect(refused.fields).toEqual([{ path: 'body', code: 'too_big', message: 'has too many fields' }]);
  });

  test('the cost of the answer is that of reading the body once', () => {
    const bodies = [{ ...unknown(60_000), name: 7 }, { tags: Array.from({ length: 300_000 }, () => 0) }, { kind: 'x', ...unknown(60_000) }];
    const before = process.threadCpuUsage();
    for (const body of bodies) for (const schema of [person, review]) refusal(schema, body);
    const { user } = process.threadCpuUsage(before);
    // Describing each of them took seconds.
    expect(user / 1_000).toBeLessThan(2_000);
  });
});

test('a query keeps its meaning: repeated parameters are lists, escapes and blanks are decoded, names are literal', () => {
  expect(parseQuery('a=1&b=%D1%8F+x&a=2&c&=y&__proto__=z')).toEqual(
    Object.fromEntries([
      ['a', ['1', '2']],
      ['b', 'я x'],
      ['c', ''],
      ['', 'y'],
      ['__proto__', 'z'],
    ]),
  );
  expect(parseQuery('')).toEqual({});
  expect(parseQuery('a&'.repeat(100_000))['a']).toHaveLength(100_000);
});
