import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';

export const csvMime = 'text/csv';

const options = {
  // RFC 4180 §2.
  record_delimiter: 'windows',
  // With a delimiter of its own the library leaves halves of it in a cell unquoted; readers take either for the end of a line.
  quote_record_delimiter: true,
  // A spreadsheet program would take such a cell for a formula and work it out.
  escape_formulas: true,
  cast: { boolean: String },
} as const;

/**
 * A CSV in UTF-8 while it is written: by its first character Excel knows the encoding, and a cell that begins with `=`, `+`, `-`, `@` or a
 * tab gets an apostrophe before it, so that no program works it out. The next page is read when the reader has taken the one before; a
 * reader that goes away ends the reading of rows. A failure breaks the stream off, so that a client never takes half a file for the whole.
 * @param pages of rows; null leaves a cell empty
 */
export function streamCsv(
  titles: readonly string[],
  pages: AsyncIterable<readonly (readonly (string | number | boolean | null)[])[]>,
): Readable {
  return Readable.from(write(titles, pages), { objectMode: false });
}

async function* write(titles: readonly string[], pages: Parameters<typeof streamCsv>[1]): AsyncGenerator<string> {
  yield `\ufeff${textOf([titles])}`;
  for await (const rows of pages) yield textOf(rows);
}

function textOf(rows: readonly (readonly unknown[])[]): string {
  return stringify([...rows], options);
}
