import { z } from 'zod';
import { dateTimeResponse, id } from '../../http/schemas.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { type Import, importModes, importStatuses } from './entities.ts';
import { keptUntil } from './kept-until.ts';
import type { ImportedRow } from './sheet/problems.ts';

export const importBody = z.strictObject({
  mode: z
    .enum(importModes)
    .describe('`check`: writes nothing and answers what `submit` would do; `draft`: saves good rows; `submit`: saves and submits them'),
});

/** A list of participants has no drafts. */
export const participantImportBody = z.strictObject({
  mode: z.enum(['check', 'submit']).describe('`check`: writes nothing and answers what `submit` would do; `submit`: saves good rows'),
});

export const templateQuery = z.strictObject({
  lang: z.enum(['ru', 'kk', 'en']).optional().describe('Language of the titles; by default from `Accept-Language`, else Russian'),
});

const importedRow = z
  .object({
    sheet: z.string().nullable().describe('Name of the sheet; null in a CSV'),
    row: z.int().describe('As programs show it, from 1'),
    ok: z.boolean().describe('Whether the row is in order'),
    change: z
      .enum(['created', 'changed', 'unchanged', 'left_out'])
      .nullable()
      .describe('What it changed, or would change; `left_out`: it names an athlete and nothing else; null when it is not in order'),
    registration_id: id.optional().describe('The registration that it means'),
    application_id: id.optional().describe('The application that identifies its participant'),
    problems: z
      .array(
        z.object({
          cell: z.string().meta({ description: 'Address of the cell', examples: ['C5'] }),
          column: z.string().describe('Title of its column in the sheet; a field of the API when the sheet lacks the column'),
          code: z.string().describe('A code of the error catalogue, or of a field problem'),
          message: z.string().describe('The rule, with the values that it allows'),
        }),
      )
      .describe('Empty when the row is in order'),
  })
  .meta({ id: 'ImportedRow' });

const count = z.int().min(0);

export const importResponse = z
  .object({
    id: id.nullable().describe('Of an import with more than 100 rows; null for one that ended with its request'),
    status: z
      .enum(importStatuses)
      .describe(
        '`running`: its rows are taken one after another; `stopped`: the account lost the right to it; `expired`: its outcome was deleted',
      ),
    mode: z.enum(importModes).describe('As it was sent'),
    rows: z.array(importedRow).describe('The rows taken so far, in the order of the file'),
    summary: z
      .object({
        total: count.describe('Rows of the file'),
        taken: count.describe('Rows that were taken so far'),
        ok: count.describe('Rows in order'),
        refused: count.describe('Rows with problems'),
        created: count.describe('Rows with a new record'),
        changed: count.describe('Rows that change a record'),
        unchanged: count.describe('Rows whose record is as they say'),
        left_out: count.describe('Rows that name an athlete and nothing else'),
        ignored_columns: z.array(z.string()).describe('Titles of columns that are not read'),
      })
      .describe('Counts of the rows'),
    expires_at: dateTimeResponse
      .nullable()
      .describe('When the outcome is deleted; null for an import without an id, and until it has ended'),
  })
  .meta({ id: 'Import' });

type Outcome = z.input<typeof importResponse>;

/** Presents the rows that were taken. */
export function presentRows(
  { mode, total, ignoredColumns }: { mode: Import['mode']; total: number; ignoredColumns: readonly string[] },
  rows: readonly ImportedRow[],
): Outcome {
  const countOf = (change: ImportedRow['change']) => rows.filter((row) => row.change === change).length;
  const refused = countOf(null);
  return {
    id: null,
    status: 'done',
    mode,
    rows: rows.map(({ sheet, row, change, registrationId, applicationId, problems }) => ({
      sheet,
      row,
      ok: change !== null,
      change,
      ...(registrationId === undefined ? {} : { registration_id: registrationId }),
      ...(applicationId === undefined ? {} : { application_id: applicationId }),
      problems,
    })),
    summary: {
      total,
      taken: rows.length,
      ok: rows.length - refused,
      refused,
      created: countOf('created'),
      changed: countOf('changed'),
      unchanged: countOf('unchanged'),
      left_out: countOf('left_out'),
      ignored_columns: [...ignoredColumns],
    },
    expires_at: null,
  };
}

/** Presents an import with a process. */
export function presentImport(record: Readonly<Import>, rows: readonly ImportedRow[]): Outcome {
  const { id: importId, status, mode, rowCount: total, ignoredColumns, finishedAt } = record;
  return {
    ...presentRows({ mode, total, ignoredColumns }, rows),
    id: importId,
    status,
    expires_at: finishedAt === null ? null : formatDateTime(keptUntil(finishedAt)),
  };
}
