import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';

export const csvMime = 'text/csv';

const options = {
  // RFC 4180 §2.
  record_delimiter: 'windows',
  // Otherwise the library does not quote cells with only CR or LF, which programs read as the end of a line.
  quote_record_delimiter: true,
  cast: { boolean: String, string: withApostrophe },
} as const;

/** What separates the cells; Excel expects a semicolon where the comma separates decimals. */
export const csvDelimiters = [',', ';'] as const;
export type CsvDelimiter = (typeof csvDelimiters)[number];

/** What spreadsheet programs evaluate as a formula, behind any number of apostrophes. */
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/**
 * Puts an apostrophe before a text that a program would evaluate. Texts that begin with apostrophes and such a sign get one too: who reads
 * the file drops exactly one apostrophe of a cell that matches.
 */
function withApostrophe(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Drops the apostrophe that `withApostrophe` put before a text; leaves others as they are. */
export function withoutApostrophe(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}

/**
 * Streams a CSV in UTF-8 with a byte order mark for Excel. No program evaluates its cells (`withApostrophe`).
 *
 * Reads the next page after the client has received the previous one, and stops when it disconnects. A failure destroys the stream, so that
 * the client does not mistake a part for the whole.
 * @param pages rows; null leaves a cell empty
 */
export function streamCsv(
  titles: readonly string[],
  pages: AsyncIterable<readonly (readonly (string | number | boolean | null)[])[]>,
  delimiter: CsvDelimiter = ',',
): Readable {
  return Readable.from(write(titles, pages, delimiter), { objectMode: false });
}

async function* write(titles: readonly string[], pages: Parameters<typeof streamCsv>[1], delimiter: CsvDelimiter): AsyncGenerator<string> {
  const textOf = (rows: readonly (readonly unknown[])[]) => stringify([...rows], { ...options, delimiter });
  yield `\ufeff${textOf([titles])}`;
  for await (const rows of pages) yield textOf(rows);
}
