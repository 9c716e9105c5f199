import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';

export const csvMime = 'text/csv';

const options = {
  // RFC 4180 §2.
  record_delimiter: 'windows',
  // Otherwise the library does not quote cells with only CR or LF, which programs read as the end of a line.
  quote_record_delimiter: true,
  // Spreadsheet programs would evaluate such a cell as a formula.
  escape_formulas: true,
  cast: { boolean: String },
} as const;

/**
 * Streams a CSV in UTF-8 with a byte order mark for Excel. Cells that begin with `=`, `+`, `-`, `@` or a tab get an apostrophe, so that no
 * program evaluates them.
 *
 * Reads the next page after the client has received the previous one, and stops when it disconnects. A failure destroys the stream, so that
 * the client does not mistake a part for the whole.
 * @param pages rows; null leaves a cell empty
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
