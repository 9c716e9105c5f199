import { placeOf, readLastEventId } from '../../../src/areas/notifications/stream/place.ts';

/** An account with the numbers 10 to 50, of which those below `kept` were cleared; its events have every tenth number. */
function account(given: number | null, kept: number) {
  const numbers = [10, 20, 30, 40, 50].filter((number) => number >= kept);
  return {
    first: 10,
    last: 50,
    isFirstKept: numbers.includes(10),
    isGivenKept: given !== null && numbers.includes(given),
    isOlderKept: given !== null && numbers.some((number) => number < given),
  };
}

test.each([
  ['nothing', null, 10, { behind: 50, isReset: false }],
  ['its own number', 30, 10, { behind: 30, isReset: false }],
  ['its last number', 50, 10, { behind: 50, isReset: false }],
  ["another's, between its own", 35, 10, { behind: 50, isReset: false }],
  ["another's, older than all its own", 5, 10, { behind: 50, isReset: false }],
  ["another's, newer than all its own", 55, 10, { behind: 50, isReset: false }],
  ['the place before all', 0, 10, { behind: 0, isReset: false }],
  ['a number that was cleared', 20, 30, { behind: 50, isReset: true }],
  ['the place before all, of which the first was cleared', 0, 20, { behind: 50, isReset: true }],
  ['a number, of an account of which all was cleared', 40, 60, { behind: 50, isReset: true }],
  ['the last number, of such an account', 50, 60, { behind: 50, isReset: false }],
  ['nothing, of such an account', null, 60, { behind: 50, isReset: false }],
  ['the place before all, of such an account', 0, 60, { behind: 50, isReset: true }],
])('who sends %s (%p)', (_what, given, kept, place) => {
  expect(placeOf(given, account(given, kept))).toEqual(place);
});

test('an account without events starts before all', () => {
  expect(placeOf(null, null)).toEqual({ behind: 0, isReset: false });
  expect(placeOf(7, null)).toEqual({ behind: 0, isReset: false });
});

test.each([
  ['12', 12],
  ['0', 0],
  [undefined, null],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['012', null],
  ['1e3', null],
  ['9'.repeat(16), null],
  ['abc', null],
])('%p is read as %p', (given, number) => {
  expect(readLastEventId(given)).toBe(number);
});
