import type { z } from 'zod';
import { type DomainError, type ErrorCode, type ErrorDetails, fieldProblemsOf } from '../../../errors.ts';
import type { eligibilityResponse } from '../../competitions/index.ts';
import type { Entry } from './entries.ts';

/** What is wrong with a cell. */
export interface CellProblem {
  /** Address: `C5`. */
  cell: string;
  /** Title in the sheet; the field, when its column is missing. */
  column: string;
  code: string;
  message: string;
}

/** What became of a row; `left_out`: it names an athlete and nothing else. Null when it was refused. */
export type RowChange = 'created' | 'changed' | 'unchanged' | 'left_out';

/** The outcome of a row. */
export interface ImportedRow {
  sheet: string | null;
  row: number;
  change: RowChange | null;
  /** Of a saved or recognized registration. */
  registrationId?: number;
  /** Of a saved or recognized participant. */
  applicationId?: number;
  problems: CellProblem[];
}

/** Characters of the allowed values that are named, and listed problems of a row: an answer has thousands of rows. */
const [longestList, mostListed] = [200, 12];

/** Returns a rule with the values that it allows, the first ones of many. */
export function withAllowed(message: string, allowed: readonly string[]): string {
  if (allowed.length === 0) return message;
  let length = 0;
  const named = allowed.filter((value, index) => index === 0 || (length += value.length) <= longestList);
  const rest = allowed.length - named.length;
  return `${message}; allowed: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Collects the problems of a row by field. */
export class RowProblems {
  readonly #entry: Entry;
  /** The cell that stands for a missing column: the first of the row. */
  readonly #usual: string;
  readonly found: CellProblem[] = [];
  #more = 0;
  /** Fields that have one. */
  readonly fields = new Set<string>();

  constructor(entry: Entry) {
    this.#entry = entry;
    this.#usual = Object.values(entry.cells)[0]?.cell ?? `A${entry.row}`;
    for (const [field, { value }] of Object.entries(entry.cells))
      if (value?.kind === 'error') this.add(field, 'no_value', `has no value but ${value.text}; correct the formula`);
    if (entry.repeats !== null) {
      const { sheet, row } = entry.repeats;
      this.add('', 'repeated', `is the same as row ${row}${sheet === null || sheet === entry.sheet ? '' : ` of the sheet "${sheet}"`}`);
    }
  }

  /** @param field empty for the whole row */
  add(field: string, code: string, message: string): void {
    const { cell, column } = this.#entry.cells[field] ?? { cell: this.#usual, column: field };
    this.fields.add(field);
    if (this.found.length < mostListed) this.found.push({ cell, column, code, message });
    else this.#more += 1;
  }

  /** Lists the first problems, and how many others there are. */
  list(): CellProblem[] {
    if (this.#more === 0) return this.found;
    return [...this.found, { cell: this.#usual, column: '', code: 'more', message: `and ${this.#more} more problems in this row` }];
  }
}

/** How the refusal of a row is shown at its cells. */
interface Shown {
  /** Field of a refusal of the whole row. */
  mainOf(code: ErrorCode): string;
  /** Field of a problem, by its path in the request. */
  fieldOf(path: string): string;
  /** Values that a field may have; none when it is free. */
  allowedIn(field: string): readonly string[];
}

/** Adds why a row was refused. */
export function addRefusal(problems: RowProblems, refusal: DomainError, { mainOf, fieldOf, allowedIn }: Shown): void {
  const fields = fieldProblemsOf(refusal);
  if (fields === null) problems.add(mainOf(refusal.code), refusal.code, [refusal.message, ...wordsOf(refusal.details)].join(' '));
  for (const { path, code, message } of fields ?? []) problems.add(fieldOf(path), code, withAllowed(message, allowedIn(fieldOf(path))));
}

/** Says the facts of a refusal: a status, a day, the reasons against an athlete. */
function wordsOf(details: ErrorDetails = {}): string[] {
  const { status, state, day, reasons } = details;
  return [
    ...(typeof status === 'string' ? [`The status is \`${status}\`.`] : []),
    ...(typeof state === 'string' && typeof day === 'string' ? [`On ${day} it is \`${state}\`.`] : []),
    ...(Array.isArray(reasons) ? reasons.map((reason: EligibilityWords) => `On ${reason.day}: \`${reason.code}\`.`) : []),
  ];
}

/** The part of `details.reasons` that a cell names. */
type EligibilityWords = Pick<z.output<typeof eligibilityResponse>['reasons'][number], 'code' | 'day'>;
