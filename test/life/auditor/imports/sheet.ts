import { Finding } from '../finding.ts';

/** What a sheet of the life says, beside its bytes: the body of the request as the auditor sees it (IMP-4). */
export interface SentSheet {
  mode: 'check' | 'draft' | 'submit';
  /** Fields of the columns, by the API; null for a column that no import reads. */
  columns: (string | null)[];
  rows: SheetRow[];
  /** What the registry made and the sender sends back as it is. */
  madeAs?: 'template' | 'export';
}

/** A filled row below the titles. */
export interface SheetRow {
  /** Null in a CSV. */
  sheet: string | null;
  /** As programs show it, from 1. */
  row: number;
  cells: string[];
}

/** A row with its cells by field; a field without a column is absent. */
export interface Line extends SheetRow {
  texts: Readonly<Record<string, string>>;
  /** Whether an earlier row says the same record in the same words. */
  isRepeated: boolean;
}

/** Reads the rows by field. @param keyOf what tells one record from another; null when the row does not say it */
export function linesOf({ columns, rows }: SentSheet, keyOf: (texts: Line['texts']) => string | null): Line[] {
  const seen = new Set<string>();
  return rows.map((row) => {
    const texts = Object.fromEntries(columns.flatMap((field, at) => (field === null ? [] : [[field, (row.cells[at] ?? '').trim()]])));
    const key = keyOf(texts);
    const isRepeated = key !== null && seen.has(key);
    if (key !== null) seen.add(key);
    return { ...row, texts, isRepeated };
  });
}

/** What the answer says of a row. */
export interface AnsweredRow {
  sheet: string | null;
  row: number;
  ok: boolean;
  change: 'created' | 'changed' | 'unchanged' | 'left_out' | null;
  registration_id?: number;
  application_id?: number;
  problems: { cell: string; column: string; code: string; message: string }[];
}

interface Answer {
  id: number | null;
  status: string;
  mode: string;
  rows: AnsweredRow[];
  summary: Record<string, unknown>;
}

/**
 * What holds for each answer: a row for each row of the sheet, in order, each refused one with the address of a cell, and counts that add up
 * (IMP-1).
 * @throws {Finding}
 */
export function askAnswer({ mode, columns, rows }: SentSheet, answer: Answer): void {
  same('the answer has the rows of the sheet in their order (IMP-1)', rows.map(placeOf), answer.rows.map(placeOf));
  same('a sheet of few rows is taken at once (IMP-5)', [null, 'done', mode], [answer.id, answer.status, answer.mode]);
  for (const one of answer.rows) {
    const where = `row ${one.row} of the sheet`;
    same(`${where} is in order when it names a change (IMP-1)`, one.change !== null, one.ok);
    same(`${where} has a problem when it is refused, and none otherwise (IMP-1)`, !one.ok, one.problems.length > 0);
    const addresses = new Set(columns.flatMap((field, at) => (field === null ? [] : [`${letterOf(at)}${one.row}`])));
    const elsewhere = one.problems.filter(({ cell }) => !addresses.has(cell));
    same(`the problems of ${where} are at its cells (IMP-1)`, [], elsewhere);
  }
  const countOf = (change: AnsweredRow['change']) => answer.rows.filter((one) => one.change === change).length;
  const refused = countOf(null);
  const { ignored_columns: _, ...counts } = answer.summary;
  const expected = {
    total: rows.length,
    taken: rows.length,
    ok: rows.length - refused,
    refused,
    created: countOf('created'),
    changed: countOf('changed'),
    unchanged: countOf('unchanged'),
    left_out: countOf('left_out'),
  };
  same('the summary counts the rows of the answer (IMP-1)', inOrder(expected), inOrder(counts));
}

/** The address of a field's cell; that of the first column where the sheet lacks it. */
export function addressOf({ columns }: SentSheet, { row }: SheetRow, field: string): string {
  const own = columns.indexOf(field);
  return `${letterOf(own >= 0 ? own : columns.findIndex((one) => one !== null))}${row}`;
}

const letterOf = (column: number) => String.fromCharCode(65 + column);
const placeOf = ({ sheet, row }: { sheet: string | null; row: number }) => `${sheet ?? ''}!${row}`;
const inOrder = (counts: Record<string, unknown>) => Object.entries(counts).toSorted(([left], [right]) => left.localeCompare(right));

function same(question: string, expected: unknown, seen: unknown): void {
  if (JSON.stringify(expected) !== JSON.stringify(seen)) throw new Finding(question, expected, seen);
}

const besideRussian: Readonly<Record<string, string>> = { ә: 'а', ғ: 'г', қ: 'к', ң: 'н', ө: 'о', ұ: 'у', ү: 'у', һ: 'х', і: 'и', ё: 'е' };

/** A name as a search reads it: without case, Kazakh letters and ё as the Russian letters beside them (REV-3). */
export function folded(name: string): string {
  return [...name.normalize('NFC').toLowerCase()].map((letter) => besideRussian[letter] ?? letter).join('');
}

/** A name with no word of the holder's is another athlete; one in another alphabet says nothing. */
export function mayBeSame(written: string, holder: string): boolean {
  const isCyrillic = (name: string) => /\p{Script=Cyrillic}/u.test(name);
  if (written === '' || isCyrillic(written) !== isCyrillic(holder)) return true;
  const words = new Set(folded(holder).split(' '));
  return folded(written)
    .split(' ')
    .some((word) => words.has(word));
}
