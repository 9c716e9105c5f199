import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { stateGauges } from '../../platform/metrics/state-gauges.ts';
import { processGauges } from './processes/gauges.ts';
import { createAdministrationRoutes } from './queue/routes.ts';

/** Routes of the administration for the records of all areas (ADM-1). */
export const administrationArea: Area = {
  processes: [],
  extensions: [extend(stateGauges, processGauges)],
  routes: createAdministrationRoutes,
};
