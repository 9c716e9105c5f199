import { readFile, stat } from 'node:fs/promises';
import { decodeText } from './decode-text.ts';
import { readCsv } from './read-csv.ts';
import { readXlsx } from './read-xlsx.ts';
import { refuseSheet, SheetRefusedError } from './refusal.ts';
import { type SheetContent, sheetLimits, type SheetReading } from './sheet-content.ts';

/** Types of tables, detected by content, never by name. */
export type SheetType = 'xlsx' | 'csv';

/**
 * Reads a table that a client sent. Run it in a process that can be killed: the bytes may be hostile. Calls `onType` before decoding.
 * @throws {Error} when the machine fails (missing file), never because of the file's content
 */
export async function readSheetFile(path: string, onType: (type: SheetType) => void = () => undefined): Promise<SheetReading> {
  const { size } = await stat(path);
  if (size === 0) return refuseSheet('empty');
  if (size > sheetLimits.bytes) return refuseSheet('bytes');
  const bytes = await readFile(path);
  try {
    return { ok: true, sheets: await readSheets(bytes, onType) };
  } catch (error) {
    if (error instanceof SheetRefusedError) return error.refusal;
    throw error;
  }
}

/** Signatures of a zip with or without files, and of the compound files of Microsoft. */
const [zip, emptyZip, compound] = [
  Buffer.from('504b0304', 'hex'),
  Buffer.from('504b0506', 'hex'),
  Buffer.from('d0cf11e0a1b11ae1', 'hex'),
] as const;
/** A workbook with a password is this stream of a compound file. */
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le');
/** Beginnings of files that are text and no table. */
const [markup, otherText] = [/^\s*<[a-z!?]/i, /^(?:%PDF-|%!PS|\{\\rtf)/];

async function readSheets(bytes: Buffer, onType: (type: SheetType) => void): Promise<SheetContent[]> {
  const beginsWith = (signature: Buffer) => bytes.subarray(0, signature.length).equals(signature);
  if (beginsWith(compound)) throw new SheetRefusedError(bytes.includes(encryptedStream) ? 'encrypted' : 'old_workbook');
  if (beginsWith(zip)) {
    onType('xlsx');
    return readXlsx(bytes);
  }
  const text = beginsWith(emptyZip) ? null : decodeText(bytes);
  if (text === null || otherText.test(text)) throw new SheetRefusedError('not_a_sheet');
  if (markup.test(text)) throw new SheetRefusedError('web_page');
  onType('csv');
  return [readCsv(text)];
}
