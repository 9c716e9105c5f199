import type { Area } from '../http/define-area.ts';
import { fileRoutes } from './routes.ts';

/** Files that people upload (service.md "Files"). */
export const filesArea: Area = {
  processes: [],
  extensions: [],
  routes: () => fileRoutes,
};
