import { access } from './access.ts';
import { defineRoute } from './define-route.ts';
import { metricsRegistry } from './metrics.ts';
import { body } from './reply.ts';

/** Metrics for Prometheus; in production they have a port of their own (decisions.md §1). */
export const metricsRoute = defineRoute({
  name: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  access: access.public,
  atRoot: true,
  isRateLimited: false,
  tag: 'Health',
  summary: 'Metrics in the Prometheus text format',
  response: { content: [metricsRegistry.contentType] },
  handler: async () => body(await metricsRegistry.metrics(), { 'Content-Type': metricsRegistry.contentType }),
});
