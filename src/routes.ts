import { accountRoutes } from './accounts/index.ts';
import { administrationRoutes } from './administration/index.ts';
import { applicationRoutes } from './applications/index.ts';
import { catalogRoutes } from './catalog/index.ts';
import { documentRoutes } from './documents/index.ts';
import { fileRoutes } from './files/index.ts';
import type { Route } from './http/define-route.ts';
import { createDocsRoutes } from './http/docs-routes.ts';
import { healthRoutes } from './http/health-routes.ts';
import { metricsRoute } from './http/metrics-route.ts';
import { createOpenApiRoute } from './http/openapi-route.ts';
import { profileRoutes } from './profiles/index.ts';
import { sandboxRoutes } from './sandbox/routes.ts';
import { verificationRoutes } from './verification/index.ts';
import { paymentReturnRoutes, walletRoutes } from './wallet/index.ts';

/**
 * Every route of the service, in the order of the specification.
 * @param options.sandbox whether time can be moved; without it its routes do not exist
 * @param options.ownMetricsPort whether the figures have a port of their own, and so none here
 */
export function allRoutes(options: { sandbox: boolean; ownMetricsPort: boolean; baseUrl: string }): Route[] {
  const published = [
    ...accountRoutes,
    ...catalogRoutes,
    ...verificationRoutes,
    ...profileRoutes,
    ...documentRoutes,
    ...fileRoutes,
    ...applicationRoutes,
    ...walletRoutes,
    ...paymentReturnRoutes,
    ...administrationRoutes,
    ...sandboxRoutes,
  ].filter((route) => options.sandbox || !route.sandboxOnly);
  return [
    ...published,
    createOpenApiRoute(published, options.baseUrl),
    ...createDocsRoutes(),
    ...healthRoutes,
    ...(options.ownMetricsPort ? [] : [metricsRoute]),
  ];
}
