import fc from 'fast-check';
import { sheetNames } from '../../../src/platform/spreadsheet/sheet-names.ts';

test('a name stays unchanged if a spreadsheet program accepts it', () => {
  expect(sheetNames(['Абсолют', 'Жастар – ұл', 'N1'])).toEqual(['Абсолют', 'Жастар – ұл', 'N1']);
});

test.each([
  ['characters that are refused', ['2/4 [a]:b*?\\'], ['2_4 _a__b___']],
  ['apostrophes at the ends', ["'Rock'n'Roll'"], ["_Rock'n'Roll_"]],
  ['nothing', [''], ['_']],
  ['the name that Excel keeps for itself', ['History'], ['History (2)']],
  ['two that differ in case alone', ['Open', 'OPEN'], ['Open', 'OPEN (2)']],
  ['two that are the same once they are cut', ['x'.repeat(40), 'x'.repeat(50)], ['x'.repeat(31), `${'x'.repeat(27)} (2)`]],
  ['a blank at the edge', [`${'x'.repeat(30)} y`], ['x'.repeat(30)]],
  ['a character of two halves at the edge', [`${'x'.repeat(30)}🏁`], ['x'.repeat(30)]],
])('%s', (_what, texts, names) => {
  expect(sheetNames(texts)).toEqual(names);
});

test('every sheet has a unique and valid name, for any names of classes', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom("'", 'history', 'a'.repeat(31), 'A'.repeat(32), ' '));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
      const names = sheetNames(texts);
      expect(names).toHaveLength(texts.length);
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(texts.length);
      for (const name of names) {
        expect(name.length).toBeGreaterThan(0);
        expect(name.length).toBeLessThanOrEqual(31);
        expect(name).not.toMatch(/[*?:\\/[\]]|^'|'$/);
        expect(name.isWellFormed()).toBe(true);
      }
    }),
  );
});
