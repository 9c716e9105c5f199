import { sheetLimits } from './sheet-content.ts';

/** Characters that XML forbids or would change are written as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
const escaped = /_x([0-9a-f]{4})_/gi;

/** Reads a text of elements `t`, plain or in parts with fonts of their own, without the readings (`rPh`) that stand above it. */
export class TextElements {
  #text = '';
  #isText = false;
  #isReading = false;

  start(): void {
    this.#text = '';
    this.#isText = false;
    this.#isReading = false;
  }

  open(name: string): void {
    if (name === 't') this.#isText = !this.#isReading;
    if (name === 'rPh') this.#isReading = true;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    if (name === 'rPh') this.#isReading = false;
  }

  add(text: string): void {
    // The reader refuses a longer text; the rest of it takes memory only.
    if (this.#isText && this.#text.length <= sheetLimits.cellLength * 8) this.#text += text;
  }

  get value(): string {
    return unescapeText(this.#text);
  }
}

export function unescapeText(text: string): string {
  return text.includes('_x') ? text.replaceAll(escaped, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : text;
}
