import { WindowCounts } from '../../src/platform/turns/window-counts.ts';

let now = 0;
beforeEach(() => {
  now = 1000;
});
const counts = (maxKeys: number) => new WindowCounts(60_000, maxKeys, () => now);

test('each key has its own window, from its first request on', () => {
  const limit = counts(10);
  expect(limit.add('one')).toEqual({ count: 1, restMs: 60_000 });
  now += 20_000;
  expect(limit.add('other')).toEqual({ count: 1, restMs: 60_000 });
  expect(limit.add('one')).toEqual({ count: 2, restMs: 40_000 });
  now += 40_000;
  expect(limit.add('one')).toEqual({ count: 1, restMs: 60_000 });
  expect(limit.add('other')).toEqual({ count: 2, restMs: 20_000 });
});

test('new windows remove expired ones', () => {
  const limit = counts(1000);
  for (let key = 0; key < 500; key += 1) limit.add(`early ${key}`);
  now += 60_000;
  for (let key = 0; key < 20; key += 1) limit.add('late');
  expect(limit.size).toBe(1);
  expect(limit.add('early 499').count).toBe(1);
});

test('a window expires although its key is still stored', () => {
  const limit = counts(1000);
  for (let key = 0; key < 500; key += 1) limit.add(`early ${key}`);
  now += 60_000;
  expect(limit.add('early 499')).toEqual({ count: 1, restMs: 60_000 });
});

test('a flood of other keys neither adds memory nor resets a key at its limit', () => {
  const limit = counts(100);
  for (let count = 0; count < 60; count += 1) limit.add('attacker');
  for (let key = 0; key < 10_000; key += 1) {
    now += 1;
    limit.add(`flood ${key}`);
    if (key % 3 === 0) limit.add(`flood ${key}`);
  }
  expect(limit.size).toBeLessThanOrEqual(100);
  expect(limit.add('attacker').count).toBe(61);
});

test('a new key replaces the rare key that was counted longest ago', () => {
  const limit = counts(6);
  for (const key of ['one', 'two', 'three', 'one', 'four']) limit.add(key);
  expect(['one', 'three', 'four'].map((key) => limit.add(key).count)).toEqual([3, 2, 2]);
  expect(limit.add('two').count).toBe(1);
});

test('frequent keys are bounded as well', () => {
  const limit = counts(6);
  for (let key = 0; key < 10; key += 1) limit.add(`frequent ${key}`, 100);
  expect(limit.size).toBe(3);
  expect(limit.read('frequent 9').count).toBe(100);
  expect(limit.read('frequent 0').count).toBe(0);
});

test('a key that returns after a flood is counted again', () => {
  const limit = counts(50);
  for (let key = 0; key < 500; key += 1) limit.add(`flood ${key}`);
  expect([limit.add('person').count, limit.add('person').count]).toEqual([1, 2]);
  for (let key = 0; key < 24; key += 1) limit.add(`another flood ${key}`);
  expect(limit.add('person').count).toBe(3);
});

// A search for the oldest key from the front of the set each time costs at least 26 times as much.
test('at the bound a new key costs about as much as below it', () => {
  const bound = 200_000;
  const limit = counts(bound);
  const fill = (from: number): number => {
    const before = process.threadCpuUsage();
    for (let key = from; key < from + bound; key += 1) limit.add(`flood ${key}`);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const below = fill(0);
  expect(Math.min(fill(bound), fill(2 * bound), fill(3 * bound))).toBeLessThan(below * 10);
});
