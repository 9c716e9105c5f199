/** The work that reading one PDF may cost: a step is a byte looked at, and more for what costs more than looking. */
export interface Steps {
  /** @throws {TooManyStepsError} when more was spent than allowed */
  spend(count: number): void;
  /** Raises what is allowed, for bytes that were unpacked within. */
  allow(bytes: number): void;
  readonly spent: number;
}

/** The file is built to be expensive: no sound one comes near its budget. */
export class TooManyStepsError extends Error {}

/**
 * For each byte of the file. A sound file is read about once, packed images not at all; a file in which everything lies within everything
 * else (a thousand strings that never end) would be read once for each of its objects.
 */
const stepsPerByte = 16;
/** Only text-like objects cost so much, and no sound file has more of them than this; the rest are streams, which cost 2 or 3. */
const denseBytesAtMost = 4 * 1024 * 1024;
/** For each byte beyond: the largest upload ends well within the time limit of an inspection. */
const stepsPerFurtherByte = 3;
/** For the smallest files: a few objects cost more than their bytes. */
const stepsAtLeast = 1_000_000;

/** The budget of a file of so many bytes. It grows with the size and with nothing else, so reading is linear in the size. */
export function stepsFor(bytes: number): Steps {
  let readable = bytes;
  let limit = limitFor(readable);
  let spent = 0;
  return {
    spend(count) {
      spent += count;
      if (spent > limit) throw new TooManyStepsError();
    },
    allow(more) {
      readable += more;
      limit = limitFor(readable);
    },
    get spent() {
      return spent;
    },
  };
}

function limitFor(bytes: number): number {
  const dense = Math.min(bytes, denseBytesAtMost);
  return stepsAtLeast + stepsPerByte * dense + stepsPerFurtherByte * (bytes - dense);
}
