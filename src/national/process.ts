import { nationalExportUpdate } from '../../workflows/national-export.contract.ts';
import type { Database } from '../platform/database/database.ts';
import { defineProcess } from '../platform/workflows/define-process.ts';
import { dueAtOf } from '../platform/workflows/due-at.ts';
import { describeExport } from './describe-export.ts';
import { findExports } from './export-queries.ts';
import type { ExportRecord } from './export-queries.ts';
import { endExport } from './end-export.ts';

const dueAt = dueAtOf('national_exports');

/** The export of a national list: its file is made, kept and deleted (design.md "Processes"). */
export const nationalExportProcess = defineProcess<ExportRecord>({
  kind: 'national-export',
  subject: 'national_export',
  workflow: 'nationalExport',
  queue: 'documents',
  summary: (id) => `Export ${id} of a national list: its file, until its time is over`,
  read: findExports,
  describe: describeExport,
  reconsider: endExport,
  dueAt: { of: ({ made }) => made.dueAt, save: dueAt.save },
  due: dueAt.list,
  living: listLiving,
  commands: [],
  longWork: { step: 'buildNationalExport', update: nationalExportUpdate },
});

/** Ids of exports whose file is being made or kept behind `afterId`, ascending. Uses national_exports_live_index. */
async function listLiving(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('national_exports')
    .select('id')
    .where('id', '>', afterId)
    .where('dueAt', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
