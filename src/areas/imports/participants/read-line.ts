import { readInteger } from '../../../platform/spreadsheet/reading/cells.ts';
import { type ParticipantChanges, type ResultStatus, resultStatuses } from '../../competitions/index.ts';
import { type Entry, textIn } from '../sheet/entries.ts';
import { type RowProblems, withAllowed } from '../sheet/problems.ts';
import { resultStatusOf } from './columns.ts';

const longest = { class: 100, start_number: 20, result: 200 };
const lastPlace = 100_000;

/**
 * Reads the result of a row (IMP-3). A field without a column stays, and so does a status whose cell is empty; another empty cell clears its
 * field. Pure.
 * @param problems receives what is wrong with its cells
 */
export function readLine(entry: Entry, problems: RowProblems): ParticipantChanges {
  const status = readStatus(entry, problems);
  const { place, status: statusOfPlace } = readPlace(entry, problems);
  const result = readText(entry, 'result', problems);
  const named = status ?? statusOfPlace;
  return {
    ...ifDefined('category', readText(entry, 'class', problems)),
    ...ifDefined('startNumber', readText(entry, 'start_number', problems)),
    ...ifDefined('place', place),
    ...ifDefined('result', result),
    // A line with a place has finished, unless it says otherwise.
    ...ifDefined('resultStatus', named ?? (place != null || result != null ? 'finished' : undefined)),
  };
}

/** Whether the sheet has a column for results: else it is a list of who takes part. */
export function namesResults({ cells }: Entry): boolean {
  return cells['place'] !== undefined || cells['result'] !== undefined;
}

function ifDefined<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: Value });
}

/** @returns undefined without a column */
function readText(entry: Entry, field: keyof typeof longest, problems: RowProblems): string | null | undefined {
  if (entry.cells[field] === undefined) return undefined;
  const text = textIn(entry, field);
  if (text.length > longest[field]) problems.add(field, 'too_big', `must have at most ${longest[field]} characters`);
  return text === '' ? null : text;
}

/** Sheets have the status of who did not finish in the column of the place. */
function readPlace(entry: Entry, problems: RowProblems): { place: number | null | undefined; status?: ResultStatus } {
  const cell = entry.cells['place'];
  if (cell === undefined) return { place: undefined };
  if (cell.value === null) return { place: null };
  const status = resultStatusOf(cell.value.text);
  if (status !== null && status !== 'none') return { place: null, status };
  const place = readInteger(cell.value);
  if (place !== null && place >= 1 && place <= lastPlace) return { place };
  problems.add('place', 'not_a_place', `must be a whole number from 1 to ${lastPlace}, or a status such as DNF`);
  return { place: undefined };
}

function readStatus(entry: Entry, problems: RowProblems): ResultStatus | undefined {
  const text = textIn(entry, 'result_status');
  if (text === '') return undefined;
  const status = resultStatusOf(text);
  if (status === null) problems.add('result_status', 'unknown_status', withAllowed('is not a status of a result', resultStatuses));
  return status === null || status === 'none' ? undefined : status;
}
