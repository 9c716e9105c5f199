import { fileDependents } from '../files/index.ts';
import type { Area } from '../http/define-area.ts';
import { extend } from '../platform/extensions.ts';
import { exportFileDependents } from './export-file-dependents.ts';
import { nationalExportRoutes } from './export-routes.ts';
import { nationalExportProcess } from './process.ts';
import { listRoutes } from './routes.ts';

/** National certificates as the federation handles them in bulk: the administrators' personal lists, their review, their exports. */
export const nationalArea: Area = {
  processes: [nationalExportProcess],
  extensions: [extend(fileDependents, exportFileDependents)],
  routes: () => [...listRoutes, ...nationalExportRoutes],
};
