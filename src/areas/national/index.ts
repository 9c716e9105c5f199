import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { changedRecords } from '../changes/index.ts';
import { fileDependents } from '../files/index.ts';
import { nationalChanges } from './changes.ts';
import { exportFileDependents, nationalExportProcess } from './exports/process.ts';
import { nationalExportRoutes } from './exports/routes.ts';
import { listRoutes } from './lists/routes.ts';

/** Bulk work on national certificates: the administrators' personal lists, bulk review and exports. */
export const nationalArea: Area = {
  processes: [nationalExportProcess],
  extensions: [extend(changedRecords, nationalChanges), extend(fileDependents, exportFileDependents)],
  routes: () => [...listRoutes, ...nationalExportRoutes],
};

export { buildExport } from './exports/build-export.ts';
export { nationalExportProcess } from './exports/process.ts';
