import { areas, extensions } from './areas.ts';
import type { Route } from './http/define-route.ts';
import { createDocsRoutes, createOpenApiRoute } from './http/openapi/routes.ts';
import { createHealthRoutes } from './http/operations/health-routes.ts';
import { metricsRoute } from './http/operations/metrics.ts';
import { nothingKnown, type Readiness } from './http/operations/readiness.ts';

/**
 * Returns every route of the service, in the order of the areas.
 * @param options.sandbox whether time can be moved; without it its routes do not exist
 * @param options.ownMetricsPort whether metrics have their own port, and no route here
 * @param readiness state of the dependencies
 */
export function allRoutes(
  options: { sandbox: boolean; ownMetricsPort: boolean; baseUrl: string },
  readiness: () => Readiness = nothingKnown,
): Route[] {
  const published = areas.flatMap((area) => area.routes(extensions)).filter((route) => options.sandbox || !route.sandboxOnly);
  return [
    ...published,
    createOpenApiRoute(published, options.baseUrl),
    ...createDocsRoutes(),
    ...createHealthRoutes(readiness),
    ...(options.ownMetricsPort ? [] : [metricsRoute]),
  ];
}
