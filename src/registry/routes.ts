import { areas, extensions } from './areas.ts';
import { apiKeyLimit, requestDays } from '../areas/accounts/index.ts';
import { changeDays, sentChanges } from '../areas/changes/index.ts';
import { webhookFacts } from '../areas/webhooks/index.ts';
import type { Route } from '../http/define-route.ts';
import { homePageRoute } from '../http/home-page.ts';
import type { BuildFacts } from '../http/openapi/build-page.ts';
import { createDocsRoutes, createOpenApiRoute } from '../http/openapi/routes.ts';
import { type Health, unknownHealth } from '../http/operations/health.ts';
import { createHealthRoutes } from '../http/operations/health-routes.ts';
import { metricsRoute } from '../http/operations/metrics.ts';

const buildFacts: BuildFacts = {
  apiKeys: apiKeyLimit,
  changeDays,
  requestDays,
  webhooks: webhookFacts,
};

/**
 * Returns every route of the service, in the order of the areas.
 * @param options.sandbox whether time can be moved; without it its routes do not exist
 * @param options.ownMetricsPort whether metrics have their own port, and no route here
 * @param health state of the process and its dependencies
 */
export function allRoutes(
  options: { sandbox: boolean; ownMetricsPort: boolean; baseUrl: string },
  health: () => Health = unknownHealth,
): Route[] {
  const published = areas.flatMap((area) => area.routes(extensions)).filter((route) => options.sandbox || !route.sandboxOnly);
  return [
    ...published,
    createOpenApiRoute(published, options.baseUrl, [sentChanges]),
    homePageRoute,
    ...createDocsRoutes(buildFacts),
    ...createHealthRoutes(health),
    ...(options.ownMetricsPort ? [] : [metricsRoute]),
  ];
}
