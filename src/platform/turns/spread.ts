/**
 * Spreads records that are due at the same instant: returns a fixed delay of each id within `seconds`. Neighbouring ids, often created
 * together, get distant delays.
 * @returns milliseconds
 */
export function spreadOf(id: number, seconds: number): number {
  return ((id * 7919) % seconds) * 1000;
}
