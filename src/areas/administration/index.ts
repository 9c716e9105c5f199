import type { Area } from '../../http/define-area.ts';
import type { Route } from '../../http/define-route.ts';
import { extend, type Extensions } from '../../platform/extensions.ts';
import { stateGauges } from '../../platform/metrics/state-gauges.ts';
import { impersonalRecords, personalRecords } from '../../platform/personal-data.ts';
import { changedRecords } from '../changes/index.ts';
import { queueSources, reviewables } from '../reviews/index.ts';
import { athleteRoutes } from './athletes/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { deskRoutes } from './desk/routes.ts';
import { createOverviewRoute } from './overview/routes.ts';
import { administrationImpersonalRecords, administrationRecords } from './personal-data.ts';
import { processGauges } from './processes/gauges.ts';
import { processRoutes } from './processes/routes.ts';
import { createQueueRoute, createReviewRoute } from './queue/routes.ts';
import { recordRoutes } from './records/routes.ts';
import { createSearchRoute } from './search/routes.ts';
import { userRoute } from './users/routes.ts';

/** Routes of the administration for the records of all areas (ADM-1). */
export const administrationArea: Area = {
  processes: [],
  extensions: [
    extend(stateGauges, processGauges),
    extend(personalRecords, administrationRecords),
    extend(impersonalRecords, administrationImpersonalRecords),
  ],
  routes: createRoutes,
};

function createRoutes(extensions: Extensions): Route[] {
  return [
    createOverviewRoute(extensions.of(queueSources)),
    createSearchRoute(extensions.of(changedRecords).flat()),
    createReviewRoute(extensions.of(reviewables)),
    createQueueRoute(extensions.of(queueSources)),
    ...recordRoutes,
    userRoute,
    ...auditRoutes,
    ...processRoutes,
    ...athleteRoutes,
    ...deskRoutes,
  ];
}
