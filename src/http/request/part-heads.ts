const headEnd = Buffer.from('\r\n\r\n');
const lineBreak = Buffer.from('\r\n');
const closing = Buffer.from('--');

/**
 * Measures the heads of a multipart body's parts. The parser truncates a long head and continues, so that the received fields would differ
 * silently from the sent ones.
 */
export class PartHeads {
  readonly #between: Buffer;
  readonly #mostBytes: number;
  /** A possible beginning of a boundary, or the head so far. The first boundary may have no line break before it. */
  #kept: Buffer = lineBreak;
  #where: 'body' | 'head' | 'end' = 'body';

  /**
   * @param boundary as the content type names it
   * @param mostBytes limit of a head
   */
  constructor(boundary: string, mostBytes: number) {
    this.#between = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#mostBytes = mostBytes;
  }

  /**
   * Takes the next bytes in linear time.
   * @returns false when a head is too long
   */
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
        // A boundary ends a head too, although it is not part of it.
        const head = bytes.subarray(at, next < 0 ? bytes.length : next);
        const length = head.indexOf(headEnd);
        // The last bytes of an unfinished head may begin its end.
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
