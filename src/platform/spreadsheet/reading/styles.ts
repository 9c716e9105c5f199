import { type NumberUse, useOfBuiltIn, useOfFormat } from './number-format.ts';
import { readXml } from './read-xml.ts';

/** Excel's maximum for a format. */
const maxCodeLength = 255;

/** Returns how programs show numbers with each cell format, by its index. */
export async function readStyles(chunks: AsyncIterable<Buffer>): Promise<NumberUse[]> {
  const uses = new Map<string, NumberUse>();
  const ofFormats: NumberUse[] = [];
  let isWithinFormats = false;
  await readXml(chunks, {
    open(name, { numFmtId: id, formatCode: code }) {
      if (name === 'cellXfs') isWithinFormats = true;
      // A format can give a built-in id another meaning.
      if (name === 'numFmt' && id !== undefined && code !== undefined) uses.set(id, useOfFormat(code.slice(0, maxCodeLength)));
      if (name === 'xf' && isWithinFormats) ofFormats.push(uses.get(id ?? '') ?? useOfBuiltIn(Number(id ?? 0)));
    },
    close(name) {
      if (name === 'cellXfs') isWithinFormats = false;
    },
  });
  return ofFormats;
}
