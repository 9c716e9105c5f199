import { readXml } from './read-xml.ts';
import { SheetRefusedError } from './refusal.ts';
import { TextElements } from './text-elements.ts';

/** More than the cells that a file may have; hidden sheets have texts too. */
const maxStrings = 300_000;

/** Returns the texts that cells refer to by their index. */
export async function readSharedStrings(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const strings: string[] = [];
  const text = new TextElements();
  await readXml(chunks, {
    open(name) {
      if (name === 'si') text.start();
      else text.open(name);
    },
    close(name) {
      text.close(name);
      if (name !== 'si') return;
      if (strings.length >= maxStrings) throw new SheetRefusedError('unpacked');
      strings.push(text.value);
    },
    text: (part) => text.add(part),
  });
  return strings;
}
