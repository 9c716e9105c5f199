import type { z } from 'zod';
import type { FieldProblem } from '../../errors.ts';
import { checkElement } from '../../http/request/validate.ts';
import { registrationRow } from './schemas.ts';

/** What a row says of a registration. */
export type RegistrationForm = z.output<typeof registrationRow>;

/** A row of a batch as it was sent: the fields that have their shape, and what is wrong with the others. */
export interface SentRow {
  /** Where it stands in the request: `body.registrations.3`. */
  path: string;
  form: Partial<RegistrationForm>;
  /** Fields of which nothing is known, since they have another shape. */
  unsound: ReadonlySet<string>;
  problems: readonly FieldProblem[];
}

/** Takes what is sound of a row, so that the records can be asked about it in the same round. */
export function parseRow(path: string, sent: unknown): SentRow {
  const checked = checkElement(path, registrationRow, sent);
  if ('data' in checked) return { path, form: checked.data, unsound: new Set(), problems: [] };
  // Of what is no row at all there is nothing more to ask.
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
