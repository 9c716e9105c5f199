/** Numbers that a seed repeats: the same seed, the same choices in the same order. */
export interface Random {
  readonly seed: number;
  /** At least 0, below 1. */
  next(): number;
  /** A whole number, both limits included. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** A source of its own for a part whose number of draws depends on time. */
  fork(): Random;
}

/** @param seed any whole number (mulberry32) */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    seed,
    next,
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    shuffled: (items) =>
      items
        .map((item) => ({ item, order: next() }))
        .toSorted((left, right) => left.order - right.order)
        .map(({ item }) => item),
    fork: () => createRandom(between(0, 0xffffffff)),
  };
}
