import type { Area } from '../../http/define-area.ts';
import { createAdministrationRoutes } from './queue/routes.ts';

/** What administrators decide and see, of all areas below. */
export const administrationArea: Area = {
  processes: [],
  extensions: [],
  routes: createAdministrationRoutes,
};
