import { SaxesParser } from 'saxes';
import { SheetRefusedError } from './refusal.ts';

/** Receives the elements of a file by their names without prefixes: programs choose the prefixes. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Elements within elements; spreadsheets have ten. */
const maxDepth = 64;
/** Bytes of one tag or text, several times those of the longest text of a cell. */
const maxTokenBytes = 512 * 1024;

/**
 * Reads the XML of a file in steps.
 * @throws {SheetRefusedError} when it is not well-formed, defines entities or a document type, or nests too deep
 */
export async function readXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let tokenBytes = 0;
  parser.on('doctype', () => {
    throw new SheetRefusedError('unreadable');
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > maxDepth) throw new SheetRefusedError('unreadable');
    tokenBytes = 0;
    handler.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    tokenBytes = 0;
    handler.close?.(localName(name));
  });
  if (handler.text) parser.on('text', handler.text.bind(handler));
  let decoder: TextDecoder | null = null;
  try {
    for await (const bytes of chunks) {
      decoder ??= decoderOf(bytes);
      // The parser keeps a tag or a text until its end.
      tokenBytes += bytes.length;
      parser.write(decoder.decode(bytes, { stream: true }));
      if (tokenBytes > maxTokenBytes) throw new SheetRefusedError('unreadable');
    }
    parser.write(decoder?.decode() ?? '').close();
  } catch (error) {
    throw error instanceof SheetRefusedError ? error : new SheetRefusedError('unreadable');
  }
}

/** XML without a mark of its byte order is UTF-8 here (OPC 8.1.4). */
function decoderOf(bytes: Buffer): TextDecoder {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true });
}

export function localName(name: string): string {
  const at = name.indexOf(':');
  return at === -1 ? name : name.slice(at + 1);
}
