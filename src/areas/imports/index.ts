import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { importsRecords } from './personal-data.ts';
import { importProcess } from './process.ts';
import { importRoutes } from './routes.ts';

/** Imports: lists of registrations and of results from spreadsheets. */
export const importsArea: Area = {
  processes: [importProcess],
  extensions: [extend(personalRecords, importsRecords)],
  routes: () => importRoutes,
};

export { importProcess } from './process.ts';
