import type { Area } from '../http/define-area.ts';
import { listRoutes } from './routes.ts';

/** National certificates as the federation handles them in bulk: the administrators' personal lists, their review, their exports. */
export const nationalArea: Area = {
  processes: [],
  extensions: [],
  routes: () => listRoutes,
};
