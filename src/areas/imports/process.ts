import { importContract } from '../../../workflows/contracts/import.contract.ts';
import { assertNever } from '../../errors.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { defineProcess, type ProcessState } from '../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../platform/workflows/due-at.ts';
import { continueImport } from './continue-import.ts';
import type { Import } from './entities.ts';
import { keptUntil } from './kept-until.ts';
import { findImports } from './queries.ts';

/** Describes an import's process for support in the Temporal UI; without personal data. */
export function describeImport(record: Readonly<Import>, now: Date): ProcessState {
  const { kind, mode, eventId, status, rowCount, doneCount, finishedAt } = record;
  const what = `${rowCount} rows of ${kind} of event ${eventId} (${mode})`;
  switch (status) {
    case 'running': {
      const details = `Took ${doneCount} of ${what}.`;
      return { stage: status, waitingFor: 'none', details, isOver: false, isDue: true, next: { at: now, why: 'its next rows are taken' } };
    }
    case 'done':
    case 'stopped': {
      const at = keptUntil(finishedAt ?? now);
      const details = `Took ${doneCount} of ${what}${status === 'stopped' ? ', then its account lost the right to it' : ''}. Keeps the outcome until ${formatDateTime(at)}.`;
      return { stage: status, waitingFor: 'date', details, isOver: false, isDue: at <= now, next: { at, why: 'its outcome is deleted' } };
    }
    case 'expired':
      return {
        stage: status,
        waitingFor: 'none',
        details: `Over: the outcome of ${what} was deleted.`,
        isOver: true,
        isDue: false,
        next: null,
      };
    default:
      return assertNever(status);
  }
}

const dueAt = dueAtOf('imports');

/** The process of an import of many rows: takes a batch at a time, and keeps the outcome for a week. */
export const importProcess = defineProcess(importContract, {
  subject: 'import',
  summary: (id) => `Import ${id}: takes the rows of a file, a batch at a time, and deletes the outcome after seven days`,
  read: findImports,
  describe: describeImport,
  since: ({ createdAt, finishedAt }) => finishedAt ?? createdAt,
  reconsider: continueImport,
  dueAt: { of: (row) => row.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('imports', 'due_at is not null'),
  commands: {},
});
