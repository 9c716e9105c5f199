/** The work budget for one PDF: one step for each byte read, more for expensive work. */
export interface Steps {
  /** @throws {TooManyStepsError} when the budget is exceeded */
  spend(count: number): void;
  /** Raises the budget for unpacked bytes. */
  allow(bytes: number): void;
  readonly spent: number;
}

/** The file exceeds its budget; valid files stay far below it. */
export class TooManyStepsError extends Error {}

/**
 * For each byte of the file. The scan reads a valid file about once, and skips packed images. A hostile file (a thousand unclosed strings)
 * would be read once for each object.
 */
const stepsPerByte = 16;
/** Only text-like objects cost so much, and valid files have no more than this; streams cost 2 or 3 a byte. */
const denseBytesAtMost = 4 * 1024 * 1024;
/** For each further byte: the largest upload is scanned well within the time limit. */
const stepsPerFurtherByte = 3;
/** For small files, whose objects cost more than their bytes. */
const stepsAtLeast = 1_000_000;

/** Returns the budget of a file, linear in its size. */
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
