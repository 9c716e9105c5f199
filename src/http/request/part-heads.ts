const headEnd = Buffer.from('\r\n\r\n');
const lineBreak = Buffer.from('\r\n');
const closing = Buffer.from('--');

/**
 * Measures the heads of a multipart body's parts as its bytes go by. The parser cuts a head that is too long and goes on with what it has
 * read of it, so that what was sent and what was understood would differ without a word.
 */
export class PartHeads {
  readonly #between: Buffer;
  readonly #mostBytes: number;
  /** What may be the beginning of something, or the head as far as it has come. The first line between parts may have no line before it. */
  #kept: Buffer = lineBreak;
  #where: 'body' | 'head' | 'end' = 'body';

  /** @param boundary as the content type names it @param mostBytes that a head may have */
  constructor(boundary: string, mostBytes: number) {
    this.#between = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#mostBytes = mostBytes;
  }

  /** Takes the next bytes. Linear: each byte is looked at a few times at the most. @returns false when a head is too long */
  take(piece: Buffer): boolean {
    if (this.#where === 'end') return true;
    const bytes = Buffer.concat([this.#kept, piece]);
    let at = 0;
    for (;;) {
      const next = bytes.indexOf(this.#between, at);
      if (this.#where === 'head') {
        if (bytes.subarray(at, at + closing.length).equals(closing)) {
          this.#where = 'end';
          return true;
        }
        // A line between parts ends a head too, though it is none then.
        const head = bytes.subarray(at, next < 0 ? bytes.length : next);
        const length = head.indexOf(headEnd);
        // Of a head that goes on, the last bytes may be the beginning of its end.
        if ((length < 0 ? head.length - headEnd.length + 1 : length) > this.#mostBytes) return false;
        if (length >= 0) {
          this.#where = 'body';
          at += length + headEnd.length;
          continue;
        }
      }
      if (next < 0) break;
      at = next + this.#between.length;
      this.#where = 'head';
    }
    if (this.#where === 'body') at = Math.max(at, bytes.length - this.#between.length + 1);
    this.#kept = bytes.subarray(at);
    return true;
  }
}
