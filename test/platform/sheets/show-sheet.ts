import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSheetFile } from '../../../src/platform/spreadsheet/reading/read-sheet.ts';
import type { SheetReading } from '../../../src/platform/spreadsheet/reading/sheet-content.ts';

/** Reads a file in this process. */
export async function readBytes(bytes: Buffer | string): Promise<SheetReading> {
  const folder = await mkdtemp(join(tmpdir(), 'sheet-'));
  try {
    // The name says nothing about the type.
    const path = join(folder, 'upload.bin');
    await writeFile(path, bytes);
    return await readSheetFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns a reading in short: rows by their numbers, texts as they are, other cells with their kinds. */
export function show(reading: SheetReading): unknown {
  if (!reading.ok) return reading.code;
  return reading.sheets.map(({ name, rows }) => [
    name,
    Object.fromEntries(
      rows.map(({ number, cells }) => [
        number,
        cells.map((cell) => cell && (cell.kind === 'text' ? cell.text : `${cell.kind} ${cell.text}`)),
      ]),
    ),
  ]);
}
