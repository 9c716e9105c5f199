/** Tables of a font program that stands in a PDF (ISO 32000-1, 9.9), in the order in which a font names them. */
const tags = ['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp'] as const;
type Tag = (typeof tags)[number];

/** A glyph of the font. `parts` are those that it is put together from, and where their entries stand in it. */
interface Glyph {
  outline: Buffer;
  parts: { id: number; at: number; end: number }[];
  /** Its width and left bearing. */
  metric: Buffer;
}

/**
 * A TrueType font whose subsets go into documents. The font reader can write one too, but it takes every byte apart and puts it
 * together again, for each document: a quarter of the work of a page. What stays as it is in the font is copied here; the programs
 * that fit letters to coarse screens, which viewers of PDFs have little use for, are left out, and with them a fifth of a certificate.
 */
export class SubsetFont {
  readonly tables: Record<Tag, Buffer>;
  readonly #glyphs = new Map<number, Glyph>();

  /** @throws {Error} when it is another kind of font, or lacks a table */
  constructor(bytes: Buffer) {
    const found = new Map<string, Buffer>();
    for (let index = 0; index < bytes.readUInt16BE(4); index += 1) {
      const entry = 12 + 16 * index;
      const [start, length] = [bytes.readUInt32BE(entry + 8), bytes.readUInt32BE(entry + 12)];
      found.set(bytes.toString('latin1', entry, entry + 4), bytes.subarray(start, start + length));
    }
    const table = (tag: Tag): Buffer => {
      const content = found.get(tag);
      if (!content) throw new Error(`the font has no table ${tag}`);
      return content;
    };
    this.tables = Object.fromEntries(tags.map((tag) => [tag, table(tag)])) as Record<Tag, Buffer>;
  }

  glyph(id: number): Glyph {
    let glyph = this.#glyphs.get(id);
    if (!glyph) this.#glyphs.set(id, (glyph = this.#read(id)));
    return glyph;
  }

  #read(id: number): Glyph {
    const { glyf, head, hhea, hmtx, loca } = this.tables;
    const isLong = head.readInt16BE(50) === 1;
    const offsetOf = (index: number) => (isLong ? loca.readUInt32BE(4 * index) : 2 * loca.readUInt16BE(2 * index));
    const entry = glyf.subarray(offsetOf(id), offsetOf(id + 1));
    const parts = partsOf(entry);
    const outline = padded(parts.length === 0 ? withoutProgram(entry) : withoutProgramOfParts(entry, parts));
    // Behind the last full metric only bearings are listed, and the width is that of the last.
    const lastMetric = hhea.readUInt16BE(34) - 1;
    const metric = Buffer.alloc(4);
    hmtx.copy(metric, 0, 4 * Math.min(id, lastMetric), 4 * Math.min(id, lastMetric) + 4);
    if (id > lastMetric) hmtx.copy(metric, 2, 4 * (lastMetric + 1) + 2 * (id - lastMetric - 1));
    return { outline, parts, metric };
  }
}

/** Bits of a part's flags (OpenType, table `glyf`): how long its entry is, whether another or a program follows. */
const part = { wordArguments: 0x1, scale: 0x8, another: 0x20, twoScales: 0x40, matrix: 0x80, program: 0x100 };

function partsOf(outline: Buffer): Glyph['parts'] {
  const isComposite = outline.length > 0 && outline.readInt16BE(0) < 0;
  const parts: Glyph['parts'] = [];
  for (let at = 10, goesOn = isComposite; goesOn;) {
    const flags = outline.readUInt16BE(at);
    const scaleLength = flags & part.scale ? 2 : flags & part.twoScales ? 4 : flags & part.matrix ? 8 : 0;
    const end = at + 4 + (flags & part.wordArguments ? 4 : 2) + scaleLength;
    parts.push({ id: outline.readUInt16BE(at + 2), at, end });
    at = end;
    goesOn = (flags & part.another) !== 0;
  }
  return parts;
}

/** A glyph of contours: its program stands, with its length before it, between the list of their ends and the points. */
function withoutProgram(outline: Buffer): Buffer {
  // A letter without a shape, such as the space.
  if (outline.length <= 10) return outline;
  const lengthAt = 10 + 2 * outline.readInt16BE(0);
  const points = outline.subarray(lengthAt + 2 + outline.readUInt16BE(lengthAt));
  return Buffer.concat([outline.subarray(0, lengthAt), Buffer.alloc(2), points]);
}

/** A glyph of parts: its program stands behind the last. */
function withoutProgramOfParts(outline: Buffer, parts: Glyph['parts']): Buffer {
  const copy = Buffer.from(outline.subarray(0, parts.at(-1)?.end));
  for (const { at } of parts) copy.writeUInt16BE(copy.readUInt16BE(at) & ~part.program, at);
  return copy;
}

/** The glyphs of one document, numbered in the order in which they first came up. */
export class FontSubset {
  readonly #font: SubsetFont;
  // With the sign for what a font does not have, which every font begins with.
  readonly #places = new Map([[0, 0]]);

  constructor(font: SubsetFont) {
    this.#font = font;
  }

  /** @returns the glyph's number in the subset */
  includeGlyph(id: number): number {
    let place = this.#places.get(id);
    if (place === undefined) this.#places.set(id, (place = this.#places.size));
    return place;
  }

  /** Writes the font program. */
  encode(): Buffer {
    const outlines: Buffer[] = [];
    const metrics: Buffer[] = [];
    // Grows meanwhile by the parts of those in it.
    for (const id of this.#places.keys()) {
      const { outline, parts, metric } = this.#font.glyph(id);
      outlines.push(this.#renumbered(outline, parts));
      metrics.push(metric);
    }
    const ends = Buffer.alloc(4 * (outlines.length + 1));
    let end = 0;
    outlines.forEach((outline, index) => ends.writeUInt32BE((end += outline.length), 4 * (index + 1)));
    const { tables } = this.#font;
    return assemble({
      ...tables,
      glyf: Buffer.concat(outlines),
      hmtx: Buffer.concat(metrics),
      loca: ends,
      head: withUInt16(tables.head, 50, 1),
      hhea: withUInt16(tables.hhea, 34, outlines.length),
      maxp: withUInt16(tables.maxp, 4, outlines.length),
    });
  }

  #renumbered(outline: Buffer, parts: Glyph['parts']): Buffer {
    if (parts.length === 0) return outline;
    const copy = Buffer.from(outline);
    for (const { id, at } of parts) copy.writeUInt16BE(this.includeGlyph(id), at + 2);
    return copy;
  }
}

/** Glyphs and tables begin at multiples of four. */
function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(-content.length & 3)]);
}

function withUInt16(table: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(table);
  copy.writeUInt16BE(value, at);
  return copy;
}

/** The font's head, the list of its tables, and the tables. Readers of PDFs ask for no checksums. */
function assemble(tables: Record<Tag, Buffer>): Buffer {
  const head = Buffer.alloc(12 + 16 * tags.length);
  const lowerPower = 2 ** Math.floor(Math.log2(tags.length));
  head.writeUInt32BE(0x00010000, 0);
  [tags.length, 16 * lowerPower, Math.log2(lowerPower), 16 * (tags.length - lowerPower)].forEach((value, index) =>
    head.writeUInt16BE(value, 4 + 2 * index),
  );
  const pieces: Buffer[] = [head];
  let offset = head.length;
  tags.forEach((tag, index) => {
    const { length } = tables[tag];
    const entry = 12 + 16 * index;
    head.write(tag, entry, 'latin1');
    head.writeUInt32BE(offset, entry + 8);
    head.writeUInt32BE(length, entry + 12);
    const piece = padded(tables[tag]);
    pieces.push(piece);
    offset += piece.length;
  });
  return Buffer.concat(pieces);
}
