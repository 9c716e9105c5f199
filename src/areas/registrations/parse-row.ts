import type { z } from 'zod';
import type { FieldProblem } from '../../errors.ts';
import { checkElement } from '../../http/request/validate.ts';
import { registrationRow } from './wire.ts';

/** A valid row of a batch. */
export type RegistrationForm = z.output<typeof registrationRow>;

/** A row of a batch as it was sent: its valid fields, and the problems of the others. */
export interface SentRow {
  /** Path in the request: `body.registrations.3`. */
  path: string;
  form: Partial<RegistrationForm>;
  /** Fields of the wrong shape. */
  unsound: ReadonlySet<string>;
  problems: readonly FieldProblem[];
}

/** Extracts the valid fields of a row, so that one answer reports problems of shape and of records together (API-2). */
export function parseRow(path: string, sent: unknown): SentRow {
  const checked = checkElement(path, registrationRow, sent);
  if ('data' in checked) return { path, form: checked.data, unsound: new Set(), problems: [] };
  // A value that is not an object has no valid fields.
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return { path, form: {}, unsound: new Set(Object.keys(registrationRow.shape)), problems: checked.problems };
  const fields: Record<string, unknown> = { ...sent };
  const parsed = Object.entries(registrationRow.shape).map(([name, shape]) => ({ name, field: shape.safeParse(fields[name]) }));
  const sound = parsed.flatMap(({ name, field }) => (field.success ? [[name, field.data] as const] : []));
  return {
    path,
    form: Object.fromEntries(sound),
    unsound: new Set(parsed.filter(({ field }) => !field.success).map(({ name }) => name)),
    problems: checked.problems,
  };
}
