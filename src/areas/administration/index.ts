import type { Area } from '../../http/define-area.ts';
import { createAdministrationRoutes } from './queue/routes.ts';

/** Routes of the administration for the records of all areas (ADM-1). */
export const administrationArea: Area = {
  processes: [],
  extensions: [],
  routes: createAdministrationRoutes,
};
