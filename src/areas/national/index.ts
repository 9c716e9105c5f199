import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { type ChangedRecord, changedRecords, nullColumn } from '../changes/index.ts';
import { fileDependents } from '../files/index.ts';
import { exportFileDependents, nationalExportProcess } from './exports/process.ts';
import { nationalExportRoutes } from './exports/routes.ts';
import { listRoutes } from './lists/routes.ts';
import { nationalRecords } from './personal-data.ts';

/** Lists and exports of national certificates in the log of changes. */
const nationalChanges: readonly ChangedRecord[] = [
  {
    record: 'national',
    select: (db) =>
      db.selectFrom('national_exports as e').select(['e.id', 'e.status', nullColumn.owner, nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/admin/national/exports/${id}`,
  },
  { record: 'national_list', path: () => '/admin/national' },
];

/** Bulk work on national certificates: the administrators' personal lists, bulk review and exports. */
export const nationalArea: Area = {
  processes: [nationalExportProcess],
  extensions: [
    extend(changedRecords, nationalChanges),
    extend(fileDependents, exportFileDependents),
    extend(personalRecords, nationalRecords),
  ],
  routes: () => [...listRoutes, ...nationalExportRoutes],
};

export { buildExport } from './exports/build-export.ts';
export { endExportsOf } from './exports/end-exports-of.ts';
export { nationalExportProcess } from './exports/process.ts';
